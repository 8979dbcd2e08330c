/** A roofline chart in numbers: what stands where, before anything is drawn. Rates are operations per nanosecond. */
import type { ReportResult, RooflineItem } from "../protocol";

export interface Place {
  readonly intensity: number;
  readonly rate: number;
}

/** A limit of the machine: a line from `from` to `to`. */
export interface Roof {
  readonly name: string;
  readonly from: Place;
  readonly to: Place;
}

/** What a cache or memory gives, in bytes per nanosecond: a line that rises up to the peak. */
export interface Slope extends Roof {
  readonly bandwidth: number;
}

/** A measured point: the kernel as it is, or with an offer. */
export interface Point extends Place {
  readonly id: string;
  readonly title: string;
  readonly ns: number;
}

export interface RooflineModel {
  readonly intensities: readonly [number, number];
  readonly rates: readonly [number, number];
  /** Caches and memory, nearest first. */
  readonly levels: readonly Slope[];
  /** What the arithmetic units give. */
  readonly peak: Roof;
  /** What a working set of the kernel's size can get; the kernel's own bound lies on it or on the peak. */
  readonly own: Slope;
  readonly points: readonly Point[];
  /** The most that the kernel's intensity permits. */
  readonly limit: Place;
}

const MARGIN = 3;

/** The model, where the peaks, the work of a call and its time are known; undefined elsewhere. */
export function rooflineModel({ roofline, timing, offers, name }: ReportResult): RooflineModel | undefined {
  if (roofline === null || timing === null) {
    return undefined;
  }
  const { peak, intensity, flops } = roofline;
  if (peak === null || intensity === null || flops === null || flops <= 0 || intensity <= 0) {
    return undefined;
  }
  const points: Point[] = [
    { id: "kernel", title: name, intensity, rate: flops / timing.ns, ns: timing.ns },
    ...offers.map(({ offer, ns }) => ({ id: offer.id, title: offer.title, intensity, rate: flops / ns, ns })),
  ];
  const limit = { intensity, rate: Math.min(peak, roofline.bandwidth * intensity) };
  const ridges = [...roofline.levels.map(({ bandwidth }) => peak / bandwidth), peak / roofline.bandwidth];
  const intensities: [number, number] = [
    Math.min(intensity, ...ridges) / MARGIN,
    Math.max(intensity, ...ridges) * MARGIN,
  ];
  const rates: [number, number] = [
    Math.min(limit.rate, ...points.map(({ rate }) => rate)) / MARGIN,
    Math.max(peak, ...points.map(({ rate }) => rate)) * (MARGIN / 2),
  ];
  const slope = (title: string, bandwidth: number) => slopeOf(title, bandwidth, peak, intensities[0], rates[0]);
  return {
    intensities,
    rates,
    levels: roofline.levels.map((level) => slope(level.name, level.bandwidth)),
    peak: peakOf(roofline, peak, Math.min(...ridges), intensities[1]),
    own: slope("own", roofline.bandwidth),
    points,
    limit,
  };
}

/** A bandwidth as a line from the chart's edge up to where the peak takes over. */
function slopeOf(name: string, bandwidth: number, peak: number, left: number, bottom: number): Slope {
  const begin = Math.max(left, bottom / bandwidth);
  return {
    name,
    bandwidth,
    from: { intensity: begin, rate: bandwidth * begin },
    to: { intensity: peak / bandwidth, rate: peak },
  };
}

function peakOf({ dtype }: RooflineItem, peak: number, begin: number, end: number): Roof {
  return { name: dtype, from: { intensity: begin, rate: peak }, to: { intensity: end, rate: peak } };
}
