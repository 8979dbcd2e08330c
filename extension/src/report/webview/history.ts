/** The candidates of the last search over its rounds, as a chart and as a table. */
import { scaleLinear, scaleLog } from "d3-scale";
import {
  symbol,
  symbolCircle,
  symbolCross,
  symbolDiamond,
  symbolSquare,
  symbolTriangle,
  type SymbolType,
} from "d3-shape";
import type { CandidateItem, SearchItem } from "../../protocol";
import { filled } from "../filled";
import { historyModel, type HistoryModel, type Mark } from "../history-model";
import type { ReportWords } from "../words";
import { drawAxes, drawing, frameFor, type Frame } from "./chart";
import { element, row, section, table, unbroken } from "./dom";
import { durationWords, factorWords, figure, moment } from "./format";

/** Shapes tell outcomes apart where colours do not. */
const SHAPES: Readonly<Record<CandidateItem["outcome"], SymbolType>> = {
  offered: symbolCircle,
  beaten: symbolSquare,
  slower: symbolTriangle,
  refuted: symbolCross,
  inconclusive: symbolDiamond,
  skipped: symbolDiamond,
};
const HEIGHT = 300;
const LANE = 36;
const TICKS = [0.1, 0.2, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 50, 100];

export function historySection(
  search: SearchItem | null,
  words: ReportWords,
  locale: string,
  room: number,
): HTMLElement {
  if (search === null) {
    return section("kw-candidates", words.candidates, element("p", {}, words.noSearch));
  }
  const model = historyModel(search);
  const ended = filled(words.searched, String(search.rounds), search.ended);
  return section(
    "kw-candidates",
    words.candidates,
    element("p", {}, `${ended} · ${moment(search.at, locale)}`),
    search.stale ? element("p", { class: "kw-stale" }, words.stale) : null,
    search.withheld > 0 ? element("p", {}, filled(words.withheld, String(search.withheld))) : null,
    model === undefined ? null : element("figure", {}, draw(model, words, locale, frameFor(room, HEIGHT)), legend(model, words)),
    search.candidates.length === 0
      ? null
      : table(
          "kw-candidates-table",
          words.candidates,
          [words.round, words.candidate, words.outcome, words.speedup, words.time, words.why],
          search.candidates.map((candidate) => candidateRow(candidate, words, locale)),
        ),
  );
}

function candidateRow(candidate: CandidateItem, words: ReportWords, locale: string): HTMLTableRowElement {
  return row(
    { "data-round": candidate.round, "data-outcome": candidate.outcome, "data-offer": candidate.offer },
    candidate.round > 0 ? String(candidate.round) : "–",
    candidate.title,
    element("span", { class: `kw-outcome kw-outcome-${candidate.outcome}` }, words[candidate.outcome]),
    unbroken(speedupWords(candidate, words, locale)),
    unbroken(candidate.ns === null ? "" : durationWords(candidate.ns)),
    candidate.why,
  );
}

function speedupWords({ speedup, low, high }: CandidateItem, words: ReportWords, locale: string): string {
  if (speedup === null) {
    return words.notTimed;
  }
  const interval =
    low === null || high === null
      ? ""
      : ` (${filled(words.interval, factorWords(low, locale), factorWords(high, locale))})`;
  return `${factorWords(speedup, locale)}${interval}`;
}

function draw(model: HistoryModel, words: ReportWords, locale: string, frame: Frame): SVGSVGElement {
  const lane = frame.height - frame.bottom - LANE / 2;
  const x = scaleLinear()
    .domain([0.5, model.rounds + 0.5])
    .range([frame.left, frame.width - frame.right]);
  const y = scaleLog()
    .domain(model.speedups)
    .range([frame.height - frame.bottom - LANE, frame.top]);
  const svg = drawing("kw-candidates-chart", words.candidatesOf, frame);
  const [low, high] = model.speedups;
  const step = Math.max(1, Math.ceil(model.rounds / 16));
  drawAxes(
    svg,
    frame,
    {
      scale: x,
      title: words.round,
      ticks: Array.from({ length: Math.floor((model.rounds - 1) / step) + 1 }, (_, at) => 1 + at * step),
      words: String,
    },
    {
      scale: y,
      title: words.speedup,
      ticks: TICKS.filter((tick) => tick >= low && tick <= high),
      words: (value) => `${figure(value, locale)}×`,
    },
  );
  svg
    .append("line")
    .attr("class", "kw-even")
    .attr("x1", frame.left)
    .attr("x2", frame.width - frame.right)
    .attr("y1", y(1))
    .attr("y2", y(1));
  if (model.marks.some(({ speedup }) => speedup === null)) {
    svg
      .append("text")
      .attr("class", "kw-label")
      .attr("x", frame.left + 4)
      .attr("y", lane + 16)
      .text(words.notTimed);
  }
  drawBest(svg, model, x, y);
  for (const mark of model.marks) {
    drawMark(svg, mark, x(mark.candidate.round), (speedup) => (speedup === null ? lane : y(speedup)), words, locale);
  }
  return svg.node() ?? document.createElementNS("http://www.w3.org/2000/svg", "svg");
}

type Scale = (value: number) => number;

/** A line that rises with each offer that is better than all before. */
function drawBest(svg: ReturnType<typeof drawing>, { best, rounds }: HistoryModel, x: Scale, y: Scale): void {
  let path = "";
  for (const { round, speedup } of best) {
    path += path === "" ? `M${x(round)},${y(speedup)}` : `H${x(round)}V${y(speedup)}`;
  }
  if (path !== "") {
    svg.append("path").attr("class", "kw-best").attr("d", `${path}H${x(rounds + 0.5)}`);
  }
}

function drawMark(
  svg: ReturnType<typeof drawing>,
  { candidate, speedup }: Mark,
  at: number,
  height: (speedup: number | null) => number,
  words: ReportWords,
  locale: string,
): void {
  const mark = svg
    .append("g")
    .attr("class", `kw-candidate kw-outcome-${candidate.outcome}`)
    .attr("data-round", candidate.round)
    .attr("data-outcome", candidate.outcome);
  mark
    .append("title")
    .text(`${candidate.title}: ${words[candidate.outcome]}, ${speedupWords(candidate, words, locale)}`);
  if (candidate.low !== null && candidate.high !== null) {
    mark
      .append("line")
      .attr("class", "kw-interval")
      .attr("x1", at)
      .attr("x2", at)
      .attr("y1", height(candidate.low))
      .attr("y2", height(candidate.high));
  }
  mark
    .append("path")
    .attr("class", "kw-mark")
    .attr("d", symbol(SHAPES[candidate.outcome], 70)())
    .attr("transform", `translate(${at},${height(speedup)})`);
}

/** Which shape is which, for the outcomes that there are. */
function legend({ marks }: HistoryModel, words: ReportWords): HTMLElement {
  const outcomes = [...new Set(marks.map(({ candidate }) => candidate.outcome))];
  const items = outcomes.map((outcome) => {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    svg.setAttribute("viewBox", "-8 -8 16 16");
    svg.setAttribute("class", `kw-key kw-outcome-${outcome}`);
    svg.setAttribute("aria-hidden", "true");
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("class", "kw-mark");
    path.setAttribute("d", symbol(SHAPES[outcome], 70)() ?? "");
    svg.append(path);
    return element("li", {}, svg, words[outcome]);
  });
  return element("ul", { class: "kw-legend" }, ...items);
}
