/** Which kernel a command is about, where it was not said: the one at the cursor, or the one that the user chooses. */
import * as vscode from "vscode";
import { KERNELS, type KernelItem } from "./protocol";
import type { ServerApi } from "./server-api";

/** A kernel as the server's commands take it. */
export interface Place {
  readonly uri: string;
  readonly kernel: string;
}

/** A command's first argument, if it names a kernel. */
export function placeIn(argument: unknown): Place | undefined {
  if (typeof argument !== "object" || argument === null) {
    return undefined;
  }
  const { uri, kernel } = argument as { uri?: unknown; kernel?: unknown };
  return typeof uri === "string" && typeof kernel === "string" ? { uri, kernel } : undefined;
}

/** The kernel that a line belongs to: the last one that begins on it or above. */
export function kernelAbove<K extends { readonly line: number }>(kernels: readonly K[], line: number): K | undefined {
  return kernels
    .filter((kernel) => kernel.line <= line)
    .reduce<
      K | undefined
    >((best, kernel) => (best === undefined || kernel.line > best.line ? kernel : best), undefined);
}

export async function placeAtCursor(server: ServerApi): Promise<Place | undefined> {
  const editor = vscode.window.activeTextEditor;
  const { kernels } = await server.ask(KERNELS, {});
  if (editor === undefined) {
    return choose(kernels);
  }
  const uri = editor.document.uri.toString();
  const here = kernels.filter((kernel) => sameUri(kernel.uri, uri));
  const found = here.length === 1 ? here[0] : kernelAbove(here, editor.selection.active.line);
  return found === undefined ? choose(here.length > 0 ? here : kernels) : { uri: found.uri, kernel: found.signature };
}

/** Editors and servers escape different characters of a URI. */
export function sameUri(one: string, other: string): boolean {
  return one === other || vscode.Uri.parse(one).toString() === vscode.Uri.parse(other).toString();
}

async function choose(kernels: readonly KernelItem[]): Promise<Place | undefined> {
  if (kernels.length === 0) {
    void vscode.window.showInformationMessage(vscode.l10n.t("No kernel was found in the open files."));
    return undefined;
  }
  const [only] = kernels;
  if (only !== undefined && kernels.length === 1) {
    return { uri: only.uri, kernel: only.signature };
  }
  const items = kernels.map((kernel) => ({
    label: kernel.name,
    description: `${vscode.workspace.asRelativePath(vscode.Uri.parse(kernel.uri))}:${kernel.line + 1}`,
    place: { uri: kernel.uri, kernel: kernel.signature },
  }));
  const placeHolder = vscode.l10n.t("Which kernel?");
  return (await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true }))?.place;
}
