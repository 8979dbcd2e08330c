/** What is done when the server ends by itself: it is started again, unless that happens too often. */

const MOST_CRASHES = 5;
const WITHIN_MS = 3 * 60 * 1000;

/** `never-up` is a server that ended before it had answered anything: it would do so again. */
export type Verdict = "restart" | "give-up" | "never-up";

export class Crashes {
  private times: number[] = [];

  constructor(private readonly now: () => number = Date.now) {}

  /** Judge one more end. `wasRunning` says whether the server had come up this time. */
  judge(wasRunning: boolean): Verdict {
    if (!wasRunning && this.times.length === 0) {
      return "never-up";
    }
    const at = this.now();
    this.times = [...this.times.filter((time) => at - time < WITHIN_MS), at];
    return this.times.length < MOST_CRASHES ? "restart" : "give-up";
  }
}
