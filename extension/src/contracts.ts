/**
 * The way to a contract: a kernel that says too little is not refused, but led to what it lacks. The inferred contract
 * goes above the kernel, the cursor goes there, and what has to be said is said one line at a time.
 */
import * as vscode from "vscode";
import type { ServerApi } from "./server-api";
import { sameUri, type Place } from "./place";
import { KERNELS, type KernelItem } from "./protocol";

export async function kernelOf(server: ServerApi, place: Place): Promise<KernelItem | undefined> {
  const { kernels } = await server.ask(KERNELS, {});
  return kernels.find((one) => one.signature === place.kernel && sameUri(one.uri, place.uri));
}

/** Whether work on a kernel may begin. A kernel whose contract is missing and asked for is led to one first. */
export async function mayBegin(server: ServerApi, place: Place): Promise<boolean> {
  const kernel = await kernelOf(server, place);
  const [first] = kernel?.asks ?? [];
  if (kernel?.contract !== "none" || first === undefined) {
    return true;
  }
  const insert = vscode.l10n.t("Insert Contract");
  const anyway = vscode.l10n.t("Try Without");
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t("{0} needs a contract, which says what it may be called with: {1}", kernel.name, first),
    insert,
    anyway,
  );
  if (answer === insert) {
    await insertContract(server, place);
  }
  return answer === anyway;
}

/** Insert the inferred contract, go there, and say what it leaves open. */
export async function insertContract(server: ServerApi, place: Place): Promise<void> {
  const before = (await kernelOf(server, place))?.line ?? 0;
  const answer = (await server.execute("kernwright.insertContract", place)) as { asks?: readonly string[] };
  const uri = vscode.Uri.parse(place.uri);
  const editor = await vscode.window.showTextDocument(uri, { preview: false });
  const at = contractLine(editor.document, before);
  editor.selection = new vscode.Selection(at, 0, at, 0);
  editor.revealRange(new vscode.Range(at, 0, at, 0), vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  const asks = answer.asks ?? [];
  if (asks.length > 0) {
    const optimize = vscode.l10n.t("Optimize");
    const words = vscode.l10n.t("Fill in the contract, then optimize again. It has to say: {0}", asks.join("; "));
    if ((await vscode.window.showInformationMessage(words, optimize)) === optimize) {
      await vscode.commands.executeCommand("kernwright.optimize", place);
    }
  }
}

/** The first line of the contract that now stands near where the kernel stood. */
export function contractLine(document: Pick<vscode.TextDocument, "lineCount" | "lineAt">, near: number): number {
  for (let line = Math.max(0, near - 2); line < document.lineCount; line++) {
    if (/^\s*(?:\/\*|\/\/)\s*kernwright\b/.test(document.lineAt(line).text)) {
      return line + 1 < document.lineCount ? line + 1 : line;
    }
  }
  return Math.min(near, document.lineCount - 1);
}
