import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { filled } from "../../src/report/filled";
import { heatLines } from "../../src/report/heat-model";
import { historyModel } from "../../src/report/history-model";
import { fromPage } from "../../src/report/messages";
import { exportedHtml, newNonce, pageHtml } from "../../src/report/page";
import { rooflineModel } from "../../src/report/roofline-model";
import { candidate, report, unmeasured } from "./samples";

test("the kernel and its offers stand at their intensity, as high as they are fast", () => {
  const model = rooflineModel(report());
  assert.ok(model);
  assert.deepEqual(
    model.points.map(({ id, intensity, rate }) => [id, intensity, rate]),
    [
      ["kernel", 0.25, 2],
      ["dot-1", 0.25, 2000 / 256],
    ],
  );
  assert.deepEqual(model.limit, { intensity: 0.25, rate: 20 });
});

test("slopes meet the peak, and all lies within the axes", () => {
  const model = rooflineModel(report());
  assert.ok(model);
  const { intensities, rates, levels, own, peak, points, limit } = model;
  for (const slope of [...levels, own]) {
    assert.equal(slope.to.rate, 100);
    assert.equal(slope.to.intensity, 100 / slope.bandwidth);
    assert.ok(Math.abs(slope.from.rate / slope.from.intensity - slope.bandwidth) < 1e-9);
  }
  assert.equal(peak.from.intensity, Math.min(...levels.map(({ to }) => to.intensity)));
  const all = [...points, limit, ...[...levels, own, peak].flatMap(({ from, to }) => [from, to])];
  for (const { intensity, rate } of all) {
    assert.ok(intensity >= intensities[0] && intensity <= intensities[1], `intensity ${intensity}`);
    assert.ok(rate >= rates[0] - 1e-9 && rate <= rates[1], `rate ${rate}`);
  }
});

test("a kernel at its bound has a limit no lower than itself is drawn", () => {
  const fast = report({ timing: { ...present(report().timing), ns: 50 } });
  const model = rooflineModel(fast);
  assert.ok(model);
  assert.ok(model.rates[1] >= 2000 / 50);
});

test("without the work, the peaks or a time nothing is drawn", () => {
  assert.equal(rooflineModel(unmeasured()), undefined);
  const roofline = present(report().roofline);
  assert.equal(rooflineModel(report({ timing: null })), undefined);
  assert.equal(rooflineModel(report({ roofline: { ...roofline, flops: null, intensity: null } })), undefined);
  assert.equal(rooflineModel(report({ roofline: { ...roofline, flops: 0, intensity: 0 } })), undefined);
  assert.equal(rooflineModel(report({ roofline: { ...roofline, peak: null } })), undefined);
});

test("candidates that were tried, with a best that only rises", () => {
  const search = present(report().search);
  const better = [
    ...search.candidates,
    candidate({ round: 4, speedup: 2, low: 1.9, high: 2.1 }),
    candidate({ round: 5, speedup: 6, low: 5, high: 7 }),
  ];
  const model = historyModel({ ...search, candidates: better });
  assert.ok(model);
  assert.deepEqual(model.marks.map(({ candidate: { round } }) => round), [1, 2, 3, 4, 5]);
  assert.deepEqual(model.best, [
    { round: 3, speedup: 3.9 },
    { round: 5, speedup: 6 },
  ]);
  assert.ok(model.speedups[0] < 0.8 && model.speedups[1] > 7);
  assert.equal(model.marks[1]?.speedup, null);
});

test("a search that tried nothing has no chart", () => {
  assert.equal(historyModel(null), undefined);
  assert.equal(historyModel({ ...present(report().search), candidates: [candidate({ round: 0 })] }), undefined);
});

test("lines of the kernel, without those of its contract", () => {
  const lines = heatLines(report());
  assert.deepEqual(lines.map(({ line }) => line), [11, 12, 13, 14]);
  const hot = lines[2];
  assert.deepEqual([hot?.share, hot?.ns, hot?.notes.length], [0.9, 900, 2]);
  assert.deepEqual([lines[0]?.share, lines[0]?.notes], [null, []]);
});

test("messages of the page that are none are left aside", () => {
  assert.deepEqual(fromPage({ type: "open", line: 3, more: 1 }), { type: "open", line: 3 });
  assert.deepEqual(fromPage({ type: "run", command: "profile" }), { type: "run", command: "profile" });
  const wrong = [
    undefined,
    7,
    "ready",
    {},
    { type: "open", line: -1 },
    { type: "open", line: 1.5 },
    { type: "open", line: "3" },
    { type: "run", command: "workbench.action.terminal.new" },
    { type: "preview" },
    { type: "export", html: 1 },
  ];
  for (const one of wrong) {
    assert.equal(fromPage(one), undefined, JSON.stringify(one));
  }
});

test("the page lets in its own script and style, and nothing else", () => {
  const addresses = { script: "https://h/report.js", style: "https://h/report.css", cspSource: "https://h" };
  const [one, other] = [newNonce(), newNonce()];
  assert.notEqual(one, other);
  const html = pageHtml(addresses, one, 'e"n');
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1] ?? "";
  assert.deepEqual(policy.split("; "), [
    "default-src 'none'",
    "style-src https://h",
    `script-src 'nonce-${one}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  assert.equal(html.match(/<script/g)?.length, 1);
  assert.ok(!/ on\w+=|style="|javascript:/.test(html));
  assert.ok(html.includes('lang="e&#34;n"'));
});

test("an exported file runs nothing and loads nothing", () => {
  const html = exportedHtml("<p>x</p>", "p { color: red }</style><script>alert(1)</script>", "<b>dot</b>", "en");
  assert.ok(html.includes("<title>&#60;b&#62;dot&#60;/b&#62;</title>"));
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
  const hash = createHash("sha256").update(style).digest("base64");
  assert.ok(html.includes(`style-src 'sha256-${hash}'`), "the policy lets this very style in");
  assert.ok(style.includes("alert"), "what would end the style stays in it");
  assert.ok(html.includes("default-src 'none'") && !/ src=| href=/.test(html));
});

test("places of a template are filled", () => {
  assert.equal(filled("{0} to {1}, {0}", "a", "$&"), "a to $&, a");
  assert.equal(filled("{0} {2}", "a"), "a {2}");
});

function present<T>(value: T | null): T {
  assert.ok(value !== null);
  return value;
}
