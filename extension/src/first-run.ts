/**
 * The first time in a workspace: what was found, what is missing, and one kernel to try. Until the user says so, files
 * are only read.
 */
import * as vscode from "vscode";
import { randomBytes } from "node:crypto";
import type { Server } from "./client";
import { wantsWelcome } from "./config";
import { lineOf } from "./log";
import type { Machine } from "./machine";
import { firstRunPage, PAGE_COMMANDS } from "./first-run-page";
import { KERNELS, type KernelItem, type KernelsResult } from "./protocol";

const WELCOMED = "kernwright.welcomed";

export class FirstRun {
  private busy = false;

  constructor(
    private readonly server: Server,
    private readonly machine: Machine,
    private readonly state: vscode.Memento,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** Ask once in a workspace that has kernels, if the setting allows it. */
  async greet(): Promise<void> {
    if (this.busy || this.state.get(WELCOMED) === true || !wantsWelcome()) {
      return;
    }
    this.busy = true;
    try {
      const found = await this.server.ask(KERNELS, { search: true });
      if (found.kernels.length === 0) {
        return;
      }
      await this.state.update(WELCOMED, true);
      const show = vscode.l10n.t("Show Me");
      const answer = await vscode.window.showInformationMessage(
        `${foundWords(found.kernels)} ${vscode.l10n.t("See what this machine has for that, and one to try?")}`,
        show,
        vscode.l10n.t("Not Now"),
      );
      if (answer === show) {
        await this.show(found);
      }
    } catch (error) {
      this.log.debug(lineOf(error));
    } finally {
      this.busy = false;
    }
  }

  /** The page, with the kernel to try beside it. */
  async show(known?: KernelsResult): Promise<void> {
    const options = { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Looking at this machine") };
    const [found, machine] = await vscode.window.withProgress(
      options,
      async () =>
        [known ?? (await this.server.ask(KERNELS, { search: true })), await this.machine.lookForUser()] as const,
    );
    const kernel = toTry(found.kernels);
    if (kernel !== undefined) {
      const at = new vscode.Range(kernel.line, 0, kernel.line, 0);
      await vscode.window.showTextDocument(vscode.Uri.parse(kernel.uri), { preview: false, selection: at });
    }
    const panel = vscode.window.createWebviewPanel(
      "kernwright.firstRun",
      "Kernwright",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: false, enableCommandUris: PAGE_COMMANDS, localResourceRoots: [] },
    );
    const trusted = vscode.workspace.isTrusted;
    panel.webview.html = firstRunPage({ kernels: found, machine, kernel, trusted }, randomBytes(16).toString("hex"));
  }
}

export function foundWords(kernels: readonly KernelItem[]): string {
  const files = new Set(kernels.map((kernel) => kernel.uri)).size;
  const [first] = kernels;
  if (kernels.length === 1 && first !== undefined) {
    return vscode.l10n.t("Kernwright found a kernel here: {0}.", first.name);
  }
  return files === 1
    ? vscode.l10n.t("Kernwright found {0} kernels in one file here.", kernels.length)
    : vscode.l10n.t("Kernwright found {0} kernels in {1} files here.", kernels.length, files);
}

/** The kernel to try: one whose contract asks nothing more, with something to find fault with. */
export function toTry(kernels: readonly KernelItem[]): KernelItem | undefined {
  const worth = (kernel: KernelItem): number =>
    (kernel.contract === "written" || kernel.contract === "file" ? 4 : 0) +
    (kernel.asks.length === 0 ? 2 : 0) +
    (kernel.findings > 0 ? 1 : 0) +
    (kernel.is_open ? 1 : 0) -
    (kernel.contract === "broken" ? 8 : 0);
  return kernels.reduce<KernelItem | undefined>(
    (best, kernel) => (best === undefined || worth(kernel) > worth(best) ? kernel : best),
    undefined,
  );
}
