/** The Kernels view: every kernel of the workspace, by file, with its time, its distance to the bound, and offers. */
import * as vscode from "vscode";
import type { Server } from "../client";
import { factor } from "../jobs";
import { lineOf } from "../log";
import { KERNELS, KERNELS_CHANGED, type KernelItem, type KernelsResult } from "../protocol";
import { durationWords } from "../units";

const CALM_MS = 250;

interface FileNode {
  readonly uri: string;
  readonly kernels: readonly KernelItem[];
}

type Node = FileNode | KernelItem;

export class KernelsView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly view: vscode.TreeView<Node>;
  private readonly parts: vscode.Disposable;
  private timer: NodeJS.Timeout | undefined;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.view = vscode.window.createTreeView<Node>("kernwright.kernels", {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.parts = vscode.Disposable.from(
      this.changed,
      this.view,
      server.on(KERNELS_CHANGED, () => this.refresh()),
      server.onState(() => this.refresh()),
    );
  }

  /** Look through the folders' files that are not open as well. */
  async search(): Promise<void> {
    const options = { location: { viewId: "kernwright.kernels" } };
    await vscode.window.withProgress(options, () => this.server.ask(KERNELS, { search: true }));
    this.refresh();
  }

  async getChildren(node?: Node): Promise<Node[]> {
    if (node !== undefined) {
      return "kernels" in node ? [...node.kernels] : [];
    }
    if (this.server.running === undefined) {
      this.view.message = "";
      return [];
    }
    try {
      const found = await this.server.ask(KERNELS, {});
      this.view.message = leftOutWords(found);
      return byFile(found.kernels);
    } catch (error) {
      this.log.debug(lineOf(error));
      return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    return "kernels" in node ? fileItem(node) : kernelItem(node);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.parts.dispose();
  }

  private refresh(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.changed.fire(undefined);
    }, CALM_MS);
  }
}

/** Files in the order of their first kernels, kernels in the order of their lines. */
export function byFile(kernels: readonly KernelItem[]): FileNode[] {
  const files = new Map<string, KernelItem[]>();
  for (const kernel of kernels) {
    const known = files.get(kernel.uri);
    if (known === undefined) {
      files.set(kernel.uri, [kernel]);
    } else {
      known.push(kernel);
    }
  }
  return [...files].map(([uri, found]) => ({ uri, kernels: found.sort((one, other) => one.line - other.line) }));
}

function fileItem({ uri, kernels }: FileNode): vscode.TreeItem {
  const resource = vscode.Uri.parse(uri);
  const item = new vscode.TreeItem(resource, vscode.TreeItemCollapsibleState.Expanded);
  item.id = uri;
  item.description = true;
  item.iconPath = vscode.ThemeIcon.File;
  item.contextValue = "file";
  item.accessibilityInformation = { label: vscode.workspace.asRelativePath(resource) };
  const offers = kernels.reduce((sum, kernel) => sum + kernel.offers, 0);
  item.tooltip = [
    resource.fsPath,
    vscode.l10n.t("kernels: {0}", kernels.length),
    ...(offers > 0 ? [vscode.l10n.t("verified rewrites: {0}", offers)] : []),
  ].join("\n");
  return item;
}

function kernelItem(kernel: KernelItem): vscode.TreeItem {
  const item = new vscode.TreeItem(kernel.name);
  item.id = `${kernel.uri}#${kernel.signature}`;
  item.description = kernelWords(kernel);
  item.tooltip = kernelTooltip(kernel);
  item.contextValue = "kernel";
  item.iconPath = new vscode.ThemeIcon(kernelIcon(kernel));
  item.command = { command: "kernwright.openKernel", title: vscode.l10n.t("Go to Kernel"), arguments: [kernel] };
  item.accessibilityInformation = { label: [kernel.name, kernelWords(kernel)].filter(Boolean).join(", ") };
  return item;
}

function kernelIcon(kernel: KernelItem): string {
  if (kernel.job !== null) {
    return "sync~spin";
  }
  if (kernel.contract === "broken") {
    return "error";
  }
  return kernel.offers > 0 ? "lightbulb" : "symbol-function";
}

/** `12.3 µs · 41% of bound · 2 rewrites, 5.8× · source changed`. */
export function kernelWords(kernel: KernelItem): string {
  const words: string[] = [];
  if (kernel.ns !== null) {
    words.push(durationWords(kernel.ns));
  }
  if (kernel.share_of_bound !== null) {
    words.push(vscode.l10n.t("{0}% of bound", Math.round(100 * Math.min(1, kernel.share_of_bound))));
  }
  if (kernel.offers > 0) {
    const best = kernel.best === null ? "" : `, ${factor(kernel.best)}×`;
    words.push(
      (kernel.offers === 1 ? vscode.l10n.t("1 rewrite") : vscode.l10n.t("{0} rewrites", kernel.offers)) + best,
    );
  }
  if (kernel.stale) {
    words.push(vscode.l10n.t("source changed"));
  }
  if (kernel.job !== null) {
    words.push(kernel.job);
  }
  return words.join(" · ");
}

function kernelTooltip(kernel: KernelItem): string {
  const lines = [kernel.signature];
  if (kernel.bound_by !== null) {
    lines.push(vscode.l10n.t("bound by {0}", kernel.bound_by));
  }
  lines.push(contractWords(kernel));
  if (kernel.findings > 0) {
    lines.push(vscode.l10n.t("findings: {0}", kernel.findings));
  }
  if (kernel.problem !== null) {
    lines.push(kernel.problem);
  }
  if (kernel.measured_at !== null) {
    lines.push(vscode.l10n.t("measured {0}", new Date(kernel.measured_at * 1000).toLocaleString(vscode.env.language)));
  }
  return lines.join("\n");
}

function contractWords(kernel: KernelItem): string {
  const missing = kernel.asks.length > 0 ? `: ${kernel.asks.join("; ")}` : "";
  switch (kernel.contract) {
    case "written":
      return vscode.l10n.t("contract written above it") + missing;
    case "file":
      return vscode.l10n.t("contract in kernwright.toml") + missing;
    case "broken":
      return vscode.l10n.t("contract with an error") + missing;
    case "none":
      return vscode.l10n.t("no contract yet") + missing;
  }
}

function leftOutWords({ left_out: leftOut }: KernelsResult): string {
  return leftOut > 0
    ? vscode.l10n.t("{0} files were not read: there are too many, or they are too long.", leftOut)
    : "";
}
