/** The kernel's lines with the share of time that each takes, and what is known of it. */
import type { ReportResult } from "../../protocol";
import { filled } from "../filled";
import { heatLines, type HeatLine } from "../heat-model";
import type { ReportWords } from "../words";
import { button, element, row, section, table, unbroken } from "./dom";
import { durationWords, percent } from "./format";

const BAR = 60;

export function heatSection(
  report: ReportResult,
  words: ReportWords,
  locale: string,
  open: (line: number) => void,
): HTMLElement {
  if (report.heat.length === 0) {
    return section("kw-heat", words.heat, element("p", {}, words.noHeat));
  }
  const lines = heatLines(report);
  return section(
    "kw-heat",
    words.heat,
    lines.some(({ stale }) => stale) ? element("p", { class: "kw-stale" }, words.stale) : null,
    table(
      "kw-heat-table",
      words.heat,
      [words.line, words.source, words.share, words.time, words.remark],
      lines.map((line) => lineRow(line, words, locale, open)),
    ),
    remarkList(report),
  );
}

function lineRow(
  { line, text, share, ns, notes, stale }: HeatLine,
  words: ReportWords,
  locale: string,
  open: (line: number) => void,
): HTMLTableRowElement {
  const number = String(line + 1);
  const label = filled(words.openLine, number);
  const remarks = notes.filter((note) => note.share === null);
  return row(
    { "data-line": line, "data-share": share, class: stale ? "kw-stale-row" : null },
    // The number is pressed in the editor, and stays as text in an exported file.
    element(
      "span",
      {},
      button(number, { class: "kw-line", "data-line": line, "aria-label": label, title: label }, () => open(line)),
      element("span", { class: "kw-number" }, number),
    ),
    element("code", {}, text === "" ? " " : text),
    share === null ? null : element("span", { class: "kw-share" }, bar(share), percent(share, locale)),
    ns === null ? null : unbroken(durationWords(ns)),
    remarks.length === 0 && share === null
      ? null
      : element(
          "ul",
          { class: "kw-notes" },
          ...remarks.map((note) => element("li", { title: note.detail }, `${note.words} (${words[note.how]})`)),
        ),
  );
}

/** A bar whose length is a share. The figure stands beside it, so that it need not be read out. */
function bar(share: number): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("class", "kw-bar");
  svg.setAttribute("viewBox", `0 0 ${BAR} 10`);
  svg.setAttribute("aria-hidden", "true");
  const rect = document.createElementNS(space, "rect");
  rect.setAttribute("width", String(Math.max(1, BAR * Math.min(share, 1))));
  rect.setAttribute("height", "10");
  svg.append(rect);
  return svg;
}

function remarkList({ remarks }: ReportResult): HTMLElement | null {
  return remarks.length === 0
    ? null
    : element("ul", { id: "kw-remarks" }, ...remarks.map((remark) => element("li", {}, remark)));
}
