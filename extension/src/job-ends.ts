/** What a job that somebody asked for has come to, with the next step as a button. */
import * as vscode from "vscode";
import type { Server } from "./client";
import { insertContract, kernelOf } from "./contracts";
import { isOver } from "./jobs";
import { lineOf } from "./log";
import type { Offers } from "./offers/offers";
import type { Place } from "./place";
import { JOB, type JobParams } from "./protocol";

export function tellJobEnds(server: Server, offers: Offers, log: vscode.LogOutputChannel): vscode.Disposable {
  return server.on(JOB, (job) => {
    if (job.wanted && isOver(job) && job.state !== "cancelled" && job.kernel !== "") {
      tell(server, offers, job).catch((error: unknown) => log.debug(lineOf(error)));
    }
  });
}

async function tell(server: Server, offers: Offers, job: JobParams): Promise<void> {
  const place: Place = { uri: job.uri, kernel: job.kernel };
  const kernel = await kernelOf(server, place);
  const name = kernel?.name ?? job.kernel.replace(/\(.*/s, "");
  const words = `${name}: ${job.said}`;
  if (job.state === "failed") {
    const log = vscode.l10n.t("Show Log");
    if ((await vscode.window.showWarningMessage(words, log)) === log) {
      await vscode.commands.executeCommand("kernwright.showLog");
    }
    return;
  }
  const insert = vscode.l10n.t("Insert Contract");
  const show = vscode.l10n.t("Show Rewrites");
  const report = vscode.l10n.t("Report");
  const buttons =
    job.asks.length > 0
      ? kernel?.contract === "none"
        ? [insert]
        : []
      : [...(job.kind === "optimize" && (kernel?.offers ?? 0) > 0 ? [show] : []), report];
  switch (await vscode.window.showInformationMessage(words, ...buttons)) {
    case insert:
      await insertContract(server, place);
      break;
    case show:
      await offers.choose(place);
      break;
    case report:
      await vscode.commands.executeCommand("kernwright.showReport", place);
      break;
    case undefined:
      break;
  }
}
