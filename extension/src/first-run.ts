/**
 * The first time in a workspace: what was found, what is missing, and one kernel to try. Until the user says so, files
 * are only read.
 */
import * as vscode from "vscode";
import type { Server } from "./client";
import { wantsWelcome } from "./config";
import { lineOf } from "./log";
import type { Machine } from "./machine";
import { KERNELS, type KernelItem, type KernelsResult, type MachineResult } from "./protocol";
import type { VirtualTexts } from "./virtual-texts";

const WELCOMED = "kernwright.welcomed";
const MOST_LISTED = 12;

export class FirstRun {
  private busy = false;

  constructor(
    private readonly server: Server,
    private readonly machine: Machine,
    private readonly texts: VirtualTexts,
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
    const page = firstRunPage(found, machine, kernel, vscode.workspace.isTrusted);
    if (kernel !== undefined) {
      const at = new vscode.Range(kernel.line, 0, kernel.line, 0);
      await vscode.window.showTextDocument(vscode.Uri.parse(kernel.uri), { preview: false, selection: at });
    }
    const uri = this.texts.put("/Kernwright.md", "first-run", page);
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
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

/** The page in Markdown. */
export function firstRunPage(
  found: KernelsResult,
  machine: MachineResult | undefined,
  kernel: KernelItem | undefined,
  trusted: boolean,
): string {
  const lines = [`# Kernwright`, ""];
  if (kernel !== undefined) {
    lines.push(
      vscode.l10n.t("**Try this one:** {0}. Its file is open beside this page.", link(kernel)),
      "",
      trusted
        ? vscode.l10n.t("Press *Profile* or *Optimize* above it; nothing is compiled or run before you do.")
        : vscode.l10n.t("This workspace is not trusted: kernels are read, and nothing is compiled or run."),
      "",
    );
    if (kernel.contract === "none") {
      lines.push(
        vscode.l10n.t(
          "It has no contract yet, which says what it may be called with. *Insert contract* writes the one that its code implies.",
        ),
        "",
      );
    }
  }
  lines.push(...machinePart(machine), ...kernelPart(found));
  return `${lines.join("\n")}\n`;
}

function machinePart(machine: MachineResult | undefined): string[] {
  if (machine === undefined || machine.parts.length === 0) {
    return [];
  }
  const has = machine.parts.filter((part) => part.found);
  const lacks = machine.parts.filter((part) => !part.found && part.remedy !== "");
  const lines = [`## ${vscode.l10n.t("This machine has")}`, ""];
  lines.push(...has.map((part) => `- **${escaped(part.name)}** ${escaped(part.version)} — ${escaped(part.adds)}`), "");
  if (lacks.length > 0) {
    lines.push(`## ${vscode.l10n.t("It could also have")}`, "");
    lines.push(...lacks.map((part) => `- **${escaped(part.name)}** — ${escaped(part.adds)}: \`${part.remedy}\``), "");
  }
  return lines;
}

function kernelPart({ kernels, left_out: leftOut }: KernelsResult): string[] {
  const lines = [`## ${vscode.l10n.t("Kernels here")}`, ""];
  lines.push(...kernels.slice(0, MOST_LISTED).map((kernel) => `- ${link(kernel)}`));
  if (kernels.length > MOST_LISTED) {
    lines.push("", vscode.l10n.t("{0} more are in the Kernels view.", kernels.length - MOST_LISTED));
  }
  if (leftOut > 0) {
    lines.push("", vscode.l10n.t("{0} files were not read: there are too many, or they are too long.", leftOut));
  }
  return [...lines, ""];
}

function link(kernel: KernelItem): string {
  const uri = vscode.Uri.parse(kernel.uri);
  const target = uri.with({ fragment: `L${kernel.line + 1}` }).toString();
  return `[${escaped(kernel.name)}](<${target}>) (${escaped(vscode.workspace.asRelativePath(uri))}:${kernel.line + 1})`;
}

/** A text that stands for itself in Markdown. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()<>#+\-.!|~]/g, "\\$&");
}
