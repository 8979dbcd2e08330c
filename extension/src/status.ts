/** The item in the status bar, and that of the language: server, compilers, devices, jobs, model, sandbox. */
import * as vscode from "vscode";
import type { Server, ServerState } from "./client";
import { SELECTOR } from "./documents";
import { progressWords, type Jobs } from "./jobs";
import type { Machine } from "./machine";
import type { MachineResult, PartItem } from "./protocol";

/** One line of what is known, by what it is about. */
export interface StatusLine {
  readonly name: string;
  readonly words: string;
}

export class Status implements vscode.Disposable {
  private readonly bar = vscode.window.createStatusBarItem("kernwright", vscode.StatusBarAlignment.Left, 0);
  private readonly language = vscode.languages.createLanguageStatusItem(
    "kernwright",
    SELECTOR as vscode.DocumentSelector,
  );
  private readonly parts: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly jobs: Jobs,
    private readonly machine: Machine,
  ) {
    this.bar.name = "Kernwright";
    this.bar.command = "kernwright.showStatus";
    this.language.name = "Kernwright";
    this.language.command = { command: "kernwright.showStatus", title: vscode.l10n.t("Show") };
    const draw = (): void => this.draw();
    this.parts = vscode.Disposable.from(
      this.bar,
      this.language,
      server.onState(draw),
      jobs.onChange(draw),
      machine.onChange(draw),
      vscode.workspace.onDidGrantWorkspaceTrust(draw),
    );
    this.draw();
    this.bar.show();
  }

  /** What is known, and what can be done about it. */
  async choose(): Promise<void> {
    const items: (vscode.QuickPickItem & { readonly command?: string })[] = this.lines().map(({ name, words }) => ({
      label: name,
      description: words,
    }));
    items.push({ label: "", kind: vscode.QuickPickItemKind.Separator });
    for (const [label, command] of [
      [vscode.l10n.t("$(pulse) Look at This Machine"), "kernwright.doctor"],
      [vscode.l10n.t("$(output) Show Log"), "kernwright.showLog"],
      [vscode.l10n.t("$(debug-restart) Restart Server"), "kernwright.restart"],
      [vscode.l10n.t("$(stop-circle) Cancel All Jobs"), "kernwright.cancel"],
      [vscode.l10n.t("$(gear) Settings"), "workbench.action.openSettings"],
    ] as const) {
      if (command !== "kernwright.cancel" || this.jobs.board.underWay.length > 0) {
        items.push({ label, command });
      }
    }
    // Whoever opens this wants to know what there is.
    if (this.machine.known === undefined) {
      void this.machine.lookForUser();
    }
    const chosen = await vscode.window.showQuickPick(items, { title: "Kernwright" });
    if (chosen?.command !== undefined) {
      const args = chosen.command === "workbench.action.openSettings" ? ["kernwright"] : [];
      await vscode.commands.executeCommand(chosen.command, ...args);
    }
  }

  dispose(): void {
    this.parts.dispose();
  }

  private lines(): StatusLine[] {
    return [
      { name: vscode.l10n.t("Server"), words: serverWords(this.server.state) },
      {
        name: vscode.l10n.t("Workspace"),
        words: vscode.workspace.isTrusted
          ? vscode.l10n.t("trusted")
          : vscode.l10n.t("not trusted: code is read, and nothing is compiled or run"),
      },
      ...machineLines(this.machine.known),
      {
        name: vscode.l10n.t("Jobs"),
        words:
          this.jobs.board.underWay
            .map((job) => [job.title, progressWords(job)].filter(Boolean).join(": "))
            .join("; ") || vscode.l10n.t("none"),
      },
    ];
  }

  private draw(): void {
    const { state } = this.server;
    const working = this.jobs.board.underWay.filter((job) => job.state === "running").length > 0;
    this.bar.text = `$(${iconOf(state, working)}) Kernwright`;
    const bad = state.kind === "failed" || state.kind === "missing";
    this.bar.backgroundColor = bad ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    const lines = this.lines();
    this.bar.tooltip = lines.map(({ name, words }) => `${name}: ${words}`).join("\n");
    this.bar.accessibilityInformation = { label: `Kernwright: ${serverWords(state)}` };
    this.language.text = `Kernwright: ${serverWords(state)}`;
    this.language.detail = lines
      .slice(1)
      .map(({ words }) => words)
      .join(" · ");
    this.language.busy = state.kind === "starting" || working;
    this.language.severity = bad ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
  }
}

function iconOf(state: ServerState, working: boolean): string {
  switch (state.kind) {
    case "running":
      return working ? "sync~spin" : "zap";
    case "starting":
      return "loading~spin";
    case "stopped":
      return "circle-slash";
    case "missing":
    case "failed":
      return "warning";
  }
}

export function serverWords(state: ServerState): string {
  switch (state.kind) {
    case "running":
      return vscode.l10n.t("running, version {0}", state.version);
    case "starting":
      return vscode.l10n.t("starting");
    case "stopped":
      return vscode.l10n.t("stopped");
    case "missing":
      return state.why === undefined
        ? vscode.l10n.t("not installed")
        : vscode.l10n.t("{0} is no program; see kernwright.server.path", state.why);
    case "failed":
      return vscode.l10n.t("does not run: {0}", state.why);
  }
}

const COMPILERS = new Set(["gcc", "clang", "zig", "nvcc", "g++", "clang++"]);

/** What the machine has, in lines; nothing where it was not looked at. */
export function machineLines(machine: MachineResult | undefined): StatusLine[] {
  if (machine === undefined || machine.looked_at === null) {
    return [];
  }
  const compilers = machine.parts.filter((part) => part.found && COMPILERS.has(part.name));
  const lines: StatusLine[] = [
    {
      name: vscode.l10n.t("Compilers"),
      words: compilers.map(partWords).join(", ") || vscode.l10n.t("none; a C compiler is needed"),
    },
  ];
  if (machine.device !== null) {
    lines.push({ name: vscode.l10n.t("Devices"), words: machine.device });
  }
  if (machine.sandbox !== null) {
    const words = machine.strong === false ? vscode.l10n.t("weak: {0}", machine.sandbox) : machine.sandbox;
    lines.push({ name: vscode.l10n.t("Sandbox"), words });
  }
  lines.push({ name: vscode.l10n.t("Model"), words: machine.model ?? vscode.l10n.t("off") });
  return lines;
}

/** `gcc 12.2.0`: what the machine calls it, and the number out of what it says of itself. */
function partWords({ name, version }: PartItem): string {
  const number = /\d+(?:\.\d+)+/.exec(version)?.[0];
  return number === undefined ? name : `${name} ${number}`;
}
