/** The roofline chart, and the same figures as a table. */
import { scaleLog } from "d3-scale";
import type { ReportResult } from "../../protocol";
import { filled } from "../filled";
import { rooflineModel, type Place, type Point, type Roof, type RooflineModel } from "../roofline-model";
import type { ReportWords } from "../words";
import { drawAxes, drawing, FRAME, logTicks } from "./chart";
import { element, row, section, table } from "./dom";
import { durationWords, factorWords, figure, percent } from "./format";

export function rooflineSection(report: ReportResult, words: ReportWords, locale: string): HTMLElement {
  const model = rooflineModel(report);
  if (model === undefined) {
    return section("kw-roofline", words.roofline, element("p", {}, words.noRoofline));
  }
  return section(
    "kw-roofline",
    words.roofline,
    element("figure", {}, draw(report.name, model, words, locale)),
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
    durationWords(point.ns),
    percent(Math.min(point.rate / model.limit.rate, 1), locale),
  );
}

function draw(name: string, model: RooflineModel, words: ReportWords, locale: string): SVGSVGElement {
  const frame = FRAME;
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
  for (const roof of model.roofs) {
    line(roof, roof.bandwidth === null ? "peak" : "level");
  }
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

/** Names stand at the lower ends of slopes, along them, and above the peak. */
function labelRoofs(
  svg: ReturnType<typeof drawing>,
  model: RooflineModel,
  at: At,
  words: ReportWords,
  locale: string,
): void {
  for (const roof of [...model.roofs, model.own]) {
    const [[x1, y1], [x2, y2]] = [at(roof.from), at(roof.to)];
    const isOwn = roof === model.own;
    const label = svg.append("text").attr("class", isOwn ? "kw-label kw-label-own" : "kw-label");
    if (roof.bandwidth === null) {
      label
        .attr("x", x2)
        .attr("y", y2 - 6)
        .attr("text-anchor", "end")
        .text(`${filled(words.peakOf, roof.name)}, ${figure(roof.from.rate, locale)} GFLOP/s`);
    } else {
      const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
      const name = isOwn ? words.workingSet : roof.name === "memory" ? words.memory : roof.name;
      label
        .attr("transform", `translate(${x1 + 8},${y1}) rotate(${angle})`)
        .attr("x", isOwn ? 110 : 6)
        .attr("y", isOwn ? 13 : -5)
        .text(filled(words.bandwidthOf, name, figure(roof.bandwidth, locale)));
    }
  }
}

/** `1/8`, `4`: intensities are powers of two. */
function intensityWords(value: number): string {
  return value >= 1 ? `${Math.round(value)}` : `1/${Math.round(1 / value)}`;
}
