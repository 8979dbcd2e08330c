/** The candidates of a search over its rounds, in numbers. */
import type { CandidateItem, SearchItem } from "../protocol";

/** A candidate in the chart. Those that were not timed stand in a lane of their own, below all speed-ups. */
export interface Mark {
  readonly candidate: CandidateItem;
  readonly speedup: number | null;
}

export interface HistoryModel {
  readonly rounds: number;
  readonly speedups: readonly [number, number];
  readonly marks: readonly Mark[];
  /** The best speed-up that was offered up to each round, for a line that only rises. */
  readonly best: readonly { readonly round: number; readonly speedup: number }[];
}

const MARGIN = 1.15;

/** The model; undefined where nothing was tried. */
export function historyModel(search: SearchItem | null): HistoryModel | undefined {
  const tried = (search?.candidates ?? []).filter(({ round }) => round > 0);
  if (tried.length === 0) {
    return undefined;
  }
  const marks = tried.map((candidate) => ({ candidate, speedup: candidate.speedup }));
  const figures = tried.flatMap(({ speedup, low, high }) => [speedup, low, high]).filter((one) => one !== null);
  const best: { round: number; speedup: number }[] = [];
  for (const { candidate, speedup } of marks) {
    if (candidate.outcome === "offered" && speedup !== null && speedup > (best.at(-1)?.speedup ?? 1)) {
      best.push({ round: candidate.round, speedup });
    }
  }
  return {
    rounds: Math.max(...tried.map(({ round }) => round)),
    speedups: [Math.min(1, ...figures) / MARGIN, Math.max(1, ...figures) * MARGIN],
    marks,
    best,
  };
}
