import assert from "node:assert/strict";
import { test } from "node:test";
import { JSDOM } from "jsdom";
import type { ReportResult } from "../../src/protocol";
import { report, unmeasured } from "./samples";
import { reportWords } from "../../src/report/words";
import { contentToExport, showReport } from "../../src/report/webview/view";

/** A page with a report, and what was asked of it. */
function shown(one: ReportResult) {
  const { window } = new JSDOM('<main id="kw-report" data-state="loading" aria-busy="true"></main>');
  window.scrollTo = () => undefined;
  Object.assign(globalThis, { window, document: window.document, HTMLElement: window.HTMLElement });
  const page = window.document.querySelector("main");
  assert.ok(page);
  const asked: unknown[] = [];
  const actions = {
    open: (line: number) => asked.push(["open", line]),
    run: (command: string) => asked.push(["run", command]),
    preview: (offer: string) => asked.push(["preview", offer]),
    exportHtml: () => asked.push(["export"]),
  };
  const show = (next: ReportResult) => showReport(page, next, reportWords(), "en", actions);
  show(one);
  const all = (selector: string) => [...page.querySelectorAll<HTMLElement>(selector)];
  return { window, page, asked, show, all, press: (selector: string) => all(selector)[0]?.click() };
}

test("everything that is known has its place", () => {
  const { page, all } = shown(report());
  assert.deepEqual([page.dataset.state, page.dataset.kernel], ["shown", "dot(int, const float*)"]);
  assert.equal(page.getAttribute("aria-busy"), "false");
  assert.deepEqual(all("#kw-roofline-chart .kw-point").map((one) => one.dataset.point), ["dot-1", "kernel"]);
  assert.deepEqual(all("#kw-roofline-chart .kw-roof").map((one) => one.dataset.roof), ["L1", "memory", "f32", "own"]);
  const outcomes = all("#kw-candidates-chart .kw-candidate").map((one) => one.dataset.outcome);
  assert.deepEqual(outcomes, ["slower", "refuted", "offered"]);
  assert.equal(all("#kw-candidates-table tbody tr").length, 4, "the table has what was skipped as well");
  assert.deepEqual(all("#kw-heat-table tbody tr").map((one) => one.dataset.line), ["11", "12", "13", "14"]);
  assert.deepEqual(all("#kw-evidence-table tbody tr").map((one) => one.dataset.how), ["measured", "measured"]);
  assert.equal(all("#kw-offers > ul > li").length, 1);
  assert.match(page.textContent, /10% · Bound by memory/);
  assert.match(page.textContent, /3\.90× \(3\.70× to 4\.00×\)/);
});

test("nothing is drawn of what nobody knows", () => {
  const { page, all } = shown(unmeasured());
  assert.equal(all("svg").length, 0);
  assert.equal(all("#kw-summary")[0]?.dataset.measured, "false");
  assert.match(page.textContent, /Not measured yet/);
  const why = shown(report({ timing: null, problem: "the contract asks for sizes" }));
  assert.match(why.page.textContent, /Not measured: the contract asks for sizes/);
});

test("a kernel's text is text", () => {
  const evil = '<img src=x onerror="alert(1)">';
  const { page, all } = shown(
    report({ name: evil, lines: [evil, evil, evil, evil, evil], remarks: [evil], contract: { ...report().contract, toml: evil } }),
  );
  assert.equal(all("img").length, 0);
  assert.ok(page.textContent.includes(evil));
  assert.ok(!contentToExport(page).includes("<img"));
});

test("what can be pressed does what it says", () => {
  const { press, asked } = shown(report());
  for (const selector of ["#kw-profile", "#kw-optimize", "#kw-export", "#kw-heat-table button[data-line='13']"]) {
    press(selector);
  }
  press("#kw-offers button");
  press("#kw-findings button");
  assert.deepEqual(asked, [
    ["run", "profile"],
    ["run", "optimize"],
    ["export"],
    ["open", 13],
    ["preview", "dot-1"],
    ["open", 13],
  ]);
});

test("screen readers are told what each part is", () => {
  const { all } = shown(report());
  for (const svg of all("svg[role=img]")) {
    const named = svg.getAttribute("aria-labelledby") ?? "";
    assert.ok((svg.querySelector(`#${named}`)?.textContent ?? "").length > 10);
  }
  for (const svg of all("svg:not([role=img])")) {
    assert.equal(svg.getAttribute("aria-hidden"), "true");
  }
  for (const part of all("section")) {
    assert.ok(part.querySelector(`#${part.getAttribute("aria-labelledby") ?? ""}`)?.textContent);
  }
  for (const one of all("table")) {
    assert.ok(one.querySelector("caption")?.textContent);
    assert.ok([...one.querySelectorAll("thead th")].every((cell) => cell.getAttribute("scope") === "col"));
    assert.ok([...one.querySelectorAll("tbody tr")].every((row) => row.firstElementChild?.getAttribute("scope") === "row"));
  }
  for (const one of all("button")) {
    assert.ok(one.getAttribute("aria-label") ?? one.textContent);
  }
  assert.equal(all("[style]").length, 0, "the page's policy permits no styles of single elements");
});

test("a newer report keeps the focus, open tables and the running job", () => {
  const { window, all, show } = shown(report());
  const button = all("#kw-heat-table button[data-line='13']")[0];
  button?.focus();
  const details = all("details")[0];
  details?.setAttribute("open", "");
  const job = all("#kw-job")[0];
  assert.ok(job);
  job.textContent = "Profiling dot";
  show(report({ version: 8 }));
  const now = window.document.activeElement;
  assert.notEqual(now, button, "the page was made anew");
  assert.equal(now?.getAttribute("data-line"), "13");
  assert.ok(all("details")[0]?.hasAttribute("open"));
  assert.equal(all("#kw-job")[0]?.textContent, "Profiling dot");
});

test("an exported page has nothing that could be pressed", () => {
  const { window, page } = shown(report());
  const copy = new JSDOM(contentToExport(page)).window.document;
  assert.equal(copy.querySelectorAll("button, [tabindex], [data-live]").length, 0);
  assert.equal(copy.querySelectorAll("svg[role=img]").length, 2);
  assert.deepEqual(
    [...copy.querySelectorAll("#kw-heat-table .kw-number")].map((one) => one.textContent),
    ["12", "13", "14", "15"],
  );
  assert.ok(copy.querySelector("details")?.hasAttribute("open"));
  assert.ok(window.document.querySelectorAll("button").length > 3, "the page itself keeps them");
});

test("charts are as wide as there is room, and no wider than can be read", () => {
  const { page, show, all } = shown(report());
  const width = () => Number(all("#kw-roofline-chart")[0]?.getAttribute("width"));
  assert.equal(width(), 720, "nothing was laid out");
  for (const [room, drawn] of [
    [410.5, 410],
    [100, 360],
    [5000, 860],
  ] as const) {
    Object.defineProperty(page, "clientWidth", { value: room, configurable: true });
    show(report());
    assert.equal(width(), drawn);
    const right = Math.max(...all("#kw-roofline-chart .kw-roof").map((one) => Number(one.getAttribute("x2"))));
    assert.ok(right <= drawn);
  }
});

test("what is stale is said", () => {
  const timing = report().timing;
  assert.ok(timing !== null);
  const { page, all } = shown(report({ timing: { ...timing, stale: true } }));
  assert.equal(all("#kw-stale").length, 1);
  assert.match(page.textContent, /The kernel has changed since/);
  assert.equal(shown(report()).all("#kw-stale").length, 0);
});
