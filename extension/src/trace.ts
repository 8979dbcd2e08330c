/** Recording what the editor and the server say to each other, for a report of a fault. */
import * as vscode from "vscode";
import path from "node:path";
import os from "node:os";
import type { Server } from "./client";

/** Begin a recording with a server started anew, or end it and show the file. */
export async function toggleTrace(server: Server): Promise<void> {
  const recorded = server.trace;
  if (recorded !== undefined) {
    server.trace = undefined;
    await server.restart();
    await vscode.window.showTextDocument(vscode.Uri.file(recorded), { preview: false });
    return;
  }
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? os.homedir();
  const file = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Record every message in (the file will hold source text)"),
    defaultUri: vscode.Uri.file(path.join(folder, "kernwright-trace.jsonl")),
    saveLabel: vscode.l10n.t("Record"),
  });
  if (file === undefined) {
    return;
  }
  server.trace = file.fsPath;
  await server.restart();
  const stop = vscode.l10n.t("Stop Recording");
  void vscode.window
    .showInformationMessage(vscode.l10n.t("Messages are being recorded in {0}.", file.fsPath), stop)
    .then((answer) => (answer === stop && server.trace !== undefined ? toggleTrace(server) : undefined));
}
