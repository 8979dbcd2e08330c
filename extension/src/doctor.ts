/** `kernwright doctor`, and its answer as a text to read. */
import * as vscode from "vscode";
import type { Server } from "./client";
import { run } from "./launch/programs";
import type { VirtualTexts } from "./virtual-texts";

const SECONDS = 60;

/** Run the doctor of the server that is running. `home` is where it is run in a workspace that is not trusted. */
export async function runDoctor(server: Server, texts: VirtualTexts, home: string): Promise<void> {
  const { state } = server;
  if (state.kind !== "running") {
    throw new Error(vscode.l10n.t("The Kernwright server is not running."));
  }
  const { program, prefix } = state.command;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
  const trusted = vscode.workspace.isTrusted;
  const options = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Looking at this machine") };
  const { output } = await vscode.window.withProgress(options, () =>
    run(program, [...prefix, ...(trusted ? [] : ["--untrusted"]), "doctor"], {
      seconds: SECONDS,
      cwd: trusted && folder !== undefined ? folder : home,
      environment: { NO_COLOR: "1", TERM: "dumb", COLUMNS: "120" },
    }),
  );
  const uri = texts.put("/kernwright-doctor.txt", "", output);
  await vscode.window.showTextDocument(uri, { preview: true });
}
