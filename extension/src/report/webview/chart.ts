/** What all charts have in common: a drawing with a name for screen readers, and its axes. */
import { axisBottom, axisLeft, type AxisScale } from "d3-axis";
import { create, type Selection } from "d3-selection";

export type Drawing = Selection<SVGSVGElement, undefined, null, undefined>;
export type Group = Selection<SVGGElement, undefined, null, undefined>;

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const NARROWEST = 360;
const WIDEST = 860;

/**
 * A frame as wide as there is room, so that words in a narrow panel are as large as elsewhere. A page that is not laid
 * out has no width, and is drawn as one of the usual size.
 */
export function frameFor(room: number, height: number): Frame {
  const width = room > 0 ? Math.min(WIDEST, Math.max(NARROWEST, Math.floor(room))) : 720;
  return { width, height, left: 64, right: 24, top: 16, bottom: 48 };
}

/** An empty drawing, which shrinks where there is less room than it was made for. */
export function drawing(id: string, title: string, { width, height }: Frame): Drawing {
  const svg = create("svg")
    .attr("id", id)
    .attr("class", "kw-chart")
    .attr("viewBox", `0 0 ${width} ${height}`)
    .attr("width", width)
    .attr("role", "img")
    .attr("aria-labelledby", `${id}-name`);
  svg.append("title").attr("id", `${id}-name`).text(title);
  return svg;
}

interface Axis {
  readonly scale: AxisScale<number>;
  readonly title: string;
  readonly ticks: readonly number[];
  readonly words: (value: number) => string;
}

/** Both axes with their names, and lines across at the ticks of the upright one. */
export function drawAxes(svg: Drawing, frame: Frame, x: Axis, y: Axis): void {
  const foot = frame.height - frame.bottom;
  const across = frame.width - frame.right - frame.left;
  const axes = svg.append("g").attr("class", "kw-axes").attr("aria-hidden", "true");
  axes
    .append("g")
    .attr("transform", `translate(0,${foot})`)
    .call(axisBottom(x.scale).tickValues(x.ticks).tickFormat(x.words).tickSizeOuter(0));
  axes
    .append("g")
    .attr("transform", `translate(${frame.left},0)`)
    .call(axisLeft(y.scale).tickValues(y.ticks).tickFormat(y.words).tickSizeOuter(0).tickSizeInner(-across));
  axes
    .append("text")
    .attr("class", "kw-axis-title")
    .attr("x", frame.left + across / 2)
    .attr("y", frame.height - 8)
    .attr("text-anchor", "middle")
    .text(x.title);
  axes
    .append("text")
    .attr("class", "kw-axis-title")
    .attr("transform", `translate(14,${(frame.top + foot) / 2}) rotate(-90)`)
    .attr("text-anchor", "middle")
    .text(y.title);
}

/** Powers of two or ten within a range, thinned to what can be read. */
export function logTicks([low, high]: readonly [number, number], base: number, most: number): number[] {
  const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / most));
  const ticks: number[] = [];
  for (let power = first; power <= last; power += step) {
    ticks.push(base ** power);
  }
  return ticks;
}
