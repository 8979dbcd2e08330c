/** What is done when the server ends by itself: it is started again, unless that happens too often. */
import { CloseAction, ErrorAction, type CloseHandlerResult, type ErrorHandler } from "vscode-languageclient/node";

const MOST_CRASHES = 5;
const WITHIN_MS = 3 * 60 * 1000;

export interface CrashPolicy {
  /**
   * The client's handler. `wasRunning` tells a crash from a server that never came up, which is not tried again;
   * `told` hears what was decided, and says it to the user.
   */
  handler(wasRunning: () => boolean, told: (outcome: "restarted" | "given-up") => void): ErrorHandler;
}

export function crashPolicy(now: () => number = Date.now): CrashPolicy {
  let crashes: number[] = [];

  function closed(wasRunning: () => boolean, told: (outcome: "restarted" | "given-up") => void): CloseHandlerResult {
    const quiet = { handled: true };
    if (!wasRunning() && crashes.length === 0) {
      return { action: CloseAction.DoNotRestart, ...quiet };
    }
    const at = now();
    crashes = [...crashes.filter((crash) => at - crash < WITHIN_MS), at];
    const outcome = crashes.length < MOST_CRASHES ? "restarted" : "given-up";
    told(outcome);
    return { action: outcome === "restarted" ? CloseAction.Restart : CloseAction.DoNotRestart, ...quiet };
  }

  return {
    handler: (wasRunning, told) => ({
      error: (_error, _message, count) => ({
        action: (count ?? 0) < MOST_CRASHES ? ErrorAction.Continue : ErrorAction.Shutdown,
        handled: true,
      }),
      closed: () => closed(wasRunning, told),
    }),
  };
}
