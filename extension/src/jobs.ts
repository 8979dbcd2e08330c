/** Jobs as the server tells them: which are under way, and the live progress of those that somebody asked for. */
import * as vscode from "vscode";
import type { Server } from "./client";
import { JOB, type JobParams } from "./protocol";

const TOKEN = /^kernwright-job-(\d+)$/;

export function isOver(job: JobParams): boolean {
  return job.state === "done" || job.state === "failed" || job.state === "cancelled";
}

/** What is under way. Jobs end with the server that does them. */
export class JobBoard {
  private readonly jobs = new Map<number, JobParams>();

  take(job: JobParams): void {
    if (isOver(job)) {
      this.jobs.delete(job.job);
    } else {
      this.jobs.set(job.job, job);
    }
  }

  clear(): void {
    this.jobs.clear();
  }

  get(number: number): JobParams | undefined {
    return this.jobs.get(number);
  }

  get underWay(): readonly JobParams[] {
    return [...this.jobs.values()];
  }
}

/** The words beside a job's bar: how far it is, what it does, and the best that it has found. */
export function progressWords(job: JobParams): string {
  const parts: string[] = [];
  if (job.state === "queued") {
    parts.push(vscode.l10n.t("waiting"));
  }
  if (job.kind === "optimize" && job.done > 0) {
    parts.push(
      job.total > 0
        ? vscode.l10n.t("{0} of {1} candidates tried", job.done, job.total)
        : vscode.l10n.t("{0} candidates tried", job.done),
    );
  }
  if (job.best !== null) {
    parts.push(vscode.l10n.t("best so far {0}×", factor(job.best)));
  }
  if (job.step !== "") {
    parts.push(job.step);
  }
  return parts.join(" · ");
}

/** A speed-up in as many digits as say something. */
export function factor(speedup: number): string {
  return speedup < 10 ? speedup.toFixed(1) : String(Math.round(speedup));
}

interface Shown {
  readonly report: (job: JobParams) => void;
  readonly end: () => void;
}

export class Jobs implements vscode.Disposable {
  readonly board = new JobBoard();
  private readonly shown = new Map<number, Shown>();
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly parts: vscode.Disposable;

  readonly onChange = this.changed.event;

  constructor(private readonly server: Server) {
    this.parts = vscode.Disposable.from(
      this.changed,
      server.on(JOB, (job) => this.take(job)),
      server.onState((state) => {
        if (state.kind !== "running") {
          this.clear();
        }
      }),
    );
  }

  /** Whether a job of the server's is one whose progress is shown here, by the token that the server made for it. */
  showsProgress(token: string | number): boolean {
    const number = TOKEN.exec(String(token))?.[1];
    return number !== undefined && this.board.get(Number(number))?.wanted === true;
  }

  dispose(): void {
    this.clear();
    this.parts.dispose();
  }

  private take(job: JobParams): void {
    this.board.take(job);
    if (isOver(job)) {
      this.shown.get(job.job)?.end();
      this.shown.delete(job.job);
    } else if (job.wanted) {
      const shown = this.shown.get(job.job) ?? this.show(job);
      shown.report(job);
    }
    void vscode.commands.executeCommand("setContext", "kernwright.working", this.board.underWay.length > 0);
    this.changed.fire();
  }

  private clear(): void {
    for (const shown of this.shown.values()) {
      shown.end();
    }
    this.shown.clear();
    this.board.clear();
    void vscode.commands.executeCommand("setContext", "kernwright.working", false);
    this.changed.fire();
  }

  /** A notification with a bar, which cancels its job. */
  private show(job: JobParams): Shown {
    let report: (job: JobParams) => void = () => undefined;
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const options = { location: vscode.ProgressLocation.Notification, title: job.title, cancellable: true };
    void vscode.window.withProgress(options, (progress, token) => {
      let filled = 0;
      token.onCancellationRequested(() => {
        void this.server.execute("kernwright.cancel", { job: job.job });
      });
      report = (now) => {
        const share = now.total > 0 ? Math.min(100, (100 * now.done) / now.total) : 0;
        progress.report({ message: progressWords(now), increment: Math.max(0, share - filled) });
        filled = Math.max(filled, share);
      };
      return ended;
    });
    const shown: Shown = { report: (now) => report(now), end: () => end() };
    this.shown.set(job.job, shown);
    return shown;
  }
}
