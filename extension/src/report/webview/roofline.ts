/** The roofline chart, and the same figures as a table. */
import { scaleLog } from "d3-scale";
import type { ReportResult } from "../../protocol";
import { filled } from "../filled";
import { rooflineModel, type Place, type Point, type Roof, type RooflineModel, type Slope } from "../roofline-model";
import type { ReportWords } from "../words";
import { drawAxes, drawing, frameFor, logTicks, type Frame } from "./chart";
import { element, row, section, table, unbroken } from "./dom";
import { durationWords, factorWords, figure, percent } from "./format";

const HEIGHT = 380;
const ABOVE = -5;
const BELOW = 14;
const CROWDED = 0.6;
/** Where names begin, as parts of a slope's length. */
const BEGIN = 0.04;
const MIDDLE = 0.42;

export function rooflineSection(
  report: ReportResult,
  words: ReportWords,
  locale: string,
  room: number,
): HTMLElement {
  const model = rooflineModel(report);
  if (model === undefined) {
    return section("kw-roofline", words.roofline, element("p", {}, words.noRoofline));
  }
  return section(
    "kw-roofline",
    words.roofline,
    element("figure", {}, draw(report.name, model, words, locale, frameFor(room, HEIGHT))),
    element(
      "details",
      {},
      element("summary", {}, words.figures),
      table(
        "kw-roofline-table",
        words.roofline,
        [words.point, words.intensity, words.rate, words.time, words.shareOfBound],
        model.points.map((point) => pointRow(point, model, locale)),
      ),
    ),
  );
}

function pointRow(point: Point, model: RooflineModel, locale: string): HTMLTableRowElement {
  return row(
    { "data-point": point.id },
    point.title,
    figure(point.intensity, locale),
    figure(point.rate, locale),
    unbroken(durationWords(point.ns)),
    percent(Math.min(point.rate / model.limit.rate, 1), locale),
  );
}

function draw(
  name: string,
  model: RooflineModel,
  words: ReportWords,
  locale: string,
  frame: Frame,
): SVGSVGElement {
  const x = scaleLog().domain(model.intensities).range([frame.left, frame.width - frame.right]);
  const y = scaleLog().domain(model.rates).range([frame.height - frame.bottom, frame.top]);
  const svg = drawing("kw-roofline-chart", filled(words.rooflineOf, name), frame);
  drawAxes(
    svg,
    frame,
    { scale: x, title: words.intensity, ticks: logTicks(model.intensities, 2, 10), words: intensityWords },
    { scale: y, title: words.rate, ticks: logTicks(model.rates, 10, 8), words: (value) => figure(value, locale) },
  );
  const at = ({ intensity, rate }: Place): readonly [number, number] => [x(intensity), y(rate)];
  const line = (roof: Roof, kind: string) => {
    const [[x1, y1], [x2, y2]] = [at(roof.from), at(roof.to)];
    svg
      .append("line")
      .attr("class", `kw-roof kw-roof-${kind}`)
      .attr("data-roof", roof.name)
      .attr("x1", x1)
      .attr("y1", y1)
      .attr("x2", x2)
      .attr("y2", y2);
  };
  for (const level of model.levels) {
    line(level, "level");
  }
  line(model.peak, "peak");
  line(model.own, "own");
  labelRoofs(svg, model, at, words, locale);

  // How far the kernel is from what its intensity permits.
  const [kernel] = model.points;
  if (kernel !== undefined) {
    const [[limitX, limitY], [, kernelY]] = [at(model.limit), at(kernel)];
    svg
      .append("line")
      .attr("class", "kw-distance")
      .attr("x1", limitX)
      .attr("x2", limitX)
      .attr("y1", limitY)
      .attr("y2", kernelY);
  }
  // The kernel is drawn last, above offers that are near to it.
  for (const point of [...model.points].reverse()) {
    const [cx, cy] = at(point);
    const own = point === kernel;
    const faster = kernel === undefined || own ? "" : `, ${factorWords(point.rate / kernel.rate, locale)}`;
    const rate = `${figure(point.rate, locale)} GFLOP/s`;
    const dot = svg
      .append("circle")
      .attr("class", own ? "kw-point kw-point-kernel" : "kw-point kw-point-offer")
      .attr("data-point", point.id)
      .attr("data-intensity", point.intensity)
      .attr("data-rate", point.rate)
      .attr("cx", cx)
      .attr("cy", cy)
      .attr("r", own ? 6 : 5);
    dot.append("title").text(`${point.title}: ${durationWords(point.ns)}, ${rate}${faster}`);
  }
  if (kernel !== undefined) {
    const [cx, cy] = at(kernel);
    svg
      .append("text")
      .attr("class", "kw-label kw-label-point")
      .attr("x", cx + 10)
      .attr("y", cy + 4)
      .text(`${name} · ${durationWords(kernel.ns)}`);
  }
  return svg.node() ?? document.createElementNS("http://www.w3.org/2000/svg", "svg");
}

type At = (place: Place) => readonly [number, number];

/** Names stand along slopes, at their lower ends, and above the peak. */
function labelRoofs(
  svg: ReturnType<typeof drawing>,
  { levels, own, peak }: RooflineModel,
  at: At,
  words: ReportWords,
  locale: string,
): void {
  const label = (slope: Slope, name: string, along: number, beside: number, kind: string) => {
    const [[x1, y1], [x2, y2]] = [at(slope.from), at(slope.to)];
    const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
    svg
      .append("text")
      .attr("class", kind)
      .attr("transform", `translate(${x1},${y1}) rotate(${angle})`)
      .attr("x", Math.hypot(x2 - x1, y2 - y1) * along)
      .attr("y", beside)
      .text(filled(words.bandwidthOf, name, figure(slope.bandwidth, locale)));
  };
  for (const level of levels) {
    // One that is just below the working set's own line has its name on the other side.
    const crowded = level.bandwidth <= own.bandwidth && level.bandwidth > own.bandwidth * CROWDED;
    label(level, level.name === "memory" ? words.memory : level.name, BEGIN, crowded ? BELOW : ABOVE, "kw-label");
  }
  label(own, words.workingSet, MIDDLE, ABOVE, "kw-label kw-label-own");
  const [x, y] = at(peak.to);
  svg
    .append("text")
    .attr("class", "kw-label")
    .attr("x", x)
    .attr("y", y + ABOVE)
    .attr("text-anchor", "end")
    .text(`${filled(words.peakOf, peak.name)}, ${figure(peak.from.rate, locale)} GFLOP/s`);
}

/** `1/8`, `4`: intensities are powers of two. */
function intensityWords(value: number): string {
  return value >= 1 ? `${Math.round(value)}` : `1/${Math.round(1 / value)}`;
}
