/** The parts of the report that are words: what the kernel takes, what is offered, its contract and findings. */
import type { FindingItem, ReportOffer, ReportResult } from "../../protocol";
import { filled } from "../filled";
import type { ReportWords } from "../words";
import { button, element, section } from "./dom";
import { durationWords, factorWords, percent } from "./format";

/** What the page can ask for. */
export interface Actions {
  open(line: number): void;
  run(command: "profile" | "optimize"): void;
  preview(offer: string): void;
  exportHtml(): void;
}

export function header(report: ReportResult, words: ReportWords, actions: Actions): HTMLElement {
  const where = `${report.path}:${report.name_line + 1}`;
  return element(
    "header",
    {},
    element("h1", {}, filled(words.reportOn, report.name)),
    element("p", { class: "kw-where" }, element("code", {}, report.signature), ` ${where}`),
    element(
      "div",
      { class: "kw-actions", role: "toolbar", "aria-label": filled(words.reportOn, report.name), "data-live": true },
      button(words.profile, { id: "kw-profile" }, () => actions.run("profile")),
      button(words.optimize, { id: "kw-optimize" }, () => actions.run("optimize")),
      button(words.exportHtml, { id: "kw-export" }, () => actions.exportHtml()),
    ),
    element("p", { id: "kw-job", role: "status", "aria-live": "polite", "data-live": true }),
  );
}

/** The few figures that matter most. */
export function summary(report: ReportResult, words: ReportWords, locale: string): HTMLElement {
  const { timing, offers, problem } = report;
  if (timing === null) {
    const why = problem === null ? words.notMeasured : filled(words.notMeasuredWhy, problem);
    return element("p", { id: "kw-summary", "data-measured": "false" }, why);
  }
  const { ns, low, high, share_of_bound: share, bound_by: by } = timing;
  const [best] = offers;
  const interval = filled(words.interval, durationWords(low), durationWords(high));
  const facts: [string, string, string][] = [["time", words.timePerCall, `${durationWords(ns)} (${interval})`]];
  if (share !== null && by !== null) {
    const limit = by === "memory" ? words.memory : words.compute;
    const part = percent(Math.min(share, 1), locale);
    facts.push(["share", words.shareOfBound, `${part} · ${filled(words.boundBy, limit)}`]);
  }
  facts.push(["best", words.bestOffer, best === undefined ? words.none : factorWords(best.offer.speedup, locale)]);
  return element(
    "div",
    {},
    element(
      "dl",
      { id: "kw-summary", "data-measured": "true" },
      ...facts.map(([name, term, value]) =>
        element("div", { "data-fact": name }, element("dt", {}, term), element("dd", {}, value)),
      ),
    ),
    timing.stale ? element("p", { class: "kw-stale", id: "kw-stale" }, words.stale) : null,
  );
}

export function offersSection(report: ReportResult, words: ReportWords, actions: Actions): HTMLElement | null {
  if (report.search === null) {
    return null;
  }
  if (report.offers.length === 0) {
    return section("kw-offers", words.offers, element("p", {}, words.noOffers));
  }
  const items = report.offers.map((one) => offerItem(one, words, actions));
  return section("kw-offers", words.offers, element("ul", {}, ...items));
}

function offerItem({ offer, cases, sandbox }: ReportOffer, words: ReportWords, actions: Actions): HTMLElement {
  const notes = [
    ...offer.assumes.map((one) => filled(words.assumes, one)),
    `${filled(words.cases, String(cases))}; ${sandbox}`,
    ...offer.notes,
  ];
  return element(
    "li",
    { "data-offer": offer.id },
    element("strong", {}, offer.title),
    " ",
    button(words.preview, { "aria-label": `${words.preview}: ${offer.title}` }, () => actions.preview(offer.id)),
    element("ul", {}, ...notes.map((note) => element("li", {}, note))),
  );
}

export function findingsSection(report: ReportResult, words: ReportWords, actions: Actions): HTMLElement | null {
  return report.findings.length === 0
    ? null
    : section(
        "kw-findings",
        words.findings,
        element("ul", {}, ...report.findings.map((one) => findingItem(one, words, actions))),
      );
}

function findingItem(finding: FindingItem, words: ReportWords, actions: Actions): HTMLElement {
  const number = String(finding.line + 1);
  const label = filled(words.openLine, number);
  return element(
    "li",
    { "data-rule": finding.rule, "data-line": finding.line },
    button(number, { class: "kw-line", "aria-label": label }, () => actions.open(finding.line)),
    element("span", { class: "kw-number" }, number),
    ` ${finding.message} `,
    element("code", {}, finding.rule),
    ` (${words[finding.how]})`,
  );
}

export function contractSection({ contract }: ReportResult, words: ReportWords): HTMLElement {
  const origins = {
    none: words.contractNone,
    written: words.contractWritten,
    file: words.contractFile,
    broken: words.contractBroken,
  };
  return section(
    "kw-contract",
    words.contract,
    element("p", { "data-contract": contract.state }, contract.problem ?? origins[contract.state]),
    contract.toml === null ? null : element("pre", {}, element("code", {}, contract.toml.trimEnd())),
    contract.asks.length === 0
      ? null
      : element("ul", {}, ...contract.asks.map((ask) => element("li", {}, filled(words.needed, ask)))),
  );
}
