/** Where the extension begins: its parts are made and wired, and the server is started without being waited for. */
import * as vscode from "vscode";
import path from "node:path";
import { mkdir } from "node:fs/promises";
import { Server } from "./client";
import { registerCommands, serverCommand, type Parts } from "./commands";
import { SECTION, SERVER_PATH, launchSettings, serverSettingNames, serverSettings } from "./config";
import { ServedDocuments } from "./documents";
import { FirstRun } from "./first-run";
import { Installer } from "./install";
import { tellJobEnds } from "./job-ends";
import { Jobs } from "./jobs";
import { PrivateEnvironment } from "./launch/private-environment";
import { isSameRelease } from "./launch/release";
import { onSelectedPython, selectedPython } from "./launch/selected-python";
import { createLog } from "./log";
import { Machine } from "./machine";
import { middleware } from "./middleware";
import { MODEL_KEY, ModelKey } from "./model-key";
import { Offers } from "./offers/offers";
import { registerReport } from "./report";
import { Status } from "./status";
import { registerViewCommands } from "./views/commands";
import { KernelsView } from "./views/kernels";
import { RulesView } from "./views/rules";
import { VirtualTexts } from "./virtual-texts";

/** What other extensions, and tests, may ask. */
export interface Kernwright {
  /** What loading and activating took, in milliseconds; the server is not waited for. */
  readonly activationMs: number;
  /** Ready when a server runs, or is known to be missing or to fail. */
  readonly settled: Promise<string>;
}

/** How long the bundle took from its first line to its last, which the build puts there. */
declare const loadingMs: number;

let running: Server | undefined;

export function activate(context: vscode.ExtensionContext): Kernwright {
  const begun = performance.now();
  const log = createLog();
  const home = context.globalStorageUri.fsPath;
  const environment = new PrivateEnvironment(home, path.join(context.extensionPath, "wheels"));
  const installer = new Installer(environment, log);
  const modelKey = new ModelKey(context.secrets);
  const served = new ServedDocuments();
  const texts = new VirtualTexts("kernwright-text");
  const settingNames = serverSettingNames(context.extension.packageJSON);

  const server: Server = new Server({
    home,
    log,
    places: () => ({
      settings: launchSettings(),
      folder: firstFolder()?.fsPath,
      // A selected interpreter may be one of the workspace's own: it is not started before the workspace is trusted.
      selectedPython: () => (vscode.workspace.isTrusted ? selectedPython(firstFolder()) : Promise.resolve(undefined)),
      privateServer: () => environment.server(),
    }),
    options: () => ({
      trusted: vscode.workspace.isTrusted,
      settings: serverSettings(settingNames, undefined),
      showsJobs: true,
    }),
    answers: { [MODEL_KEY]: () => modelKey.answer() },
    middleware: middleware(served, {
      settingNames,
      withPreviews: (document, actions) => offers.withPreviews(document, actions),
      command: (command, args) => serverCommand(parts, command, args),
      showsProgress: (token) => jobs.showsProgress(token),
    }),
  });
  running = server;

  const offers = new Offers(server);
  const jobs = new Jobs(server);
  const machine = new Machine(server, context.workspaceState, log);
  const status = new Status(server, jobs, machine);
  const firstRun = new FirstRun(server, machine, context.workspaceState, log);
  const kernels = new KernelsView(server, log);
  const rules = new RulesView(server, texts, log);
  const parts: Parts = {
    context,
    server,
    offers,
    installer,
    modelKey,
    status: () => status,
    firstRun: () => firstRun,
    texts,
    log,
  };

  context.subscriptions.push(
    log,
    texts,
    offers,
    jobs,
    machine,
    status,
    kernels,
    rules,
    registerCommands(parts),
    registerViewCommands(kernels, rules),
    registerReport(context, server),
    server.onState(({ kind }) => {
      if (kind !== "running") {
        served.clear();
      }
      void vscode.commands.executeCommand("setContext", "kernwright.running", kind === "running");
      void vscode.commands.executeCommand("setContext", "kernwright.missing", kind === "missing");
      if (kind === "running") {
        tellOtherRelease(server, context.extension.packageJSON as { version: string }, log);
        void firstRun.greet();
      } else if (kind === "missing") {
        void offerServer(server, installer);
      } else if (kind === "failed") {
        tellFailure(server);
      }
    }),
    tellJobEnds(server, offers, log),
    server.onCrash((outcome) => tellCrash(outcome, log)),
    vscode.workspace.onDidGrantWorkspaceTrust(() => server.trusted()),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(SERVER_PATH)) {
        void server.restart();
      } else if (event.affectsConfiguration(SECTION)) {
        void server.settingsChanged();
      }
    }),
  );
  void vscode.commands.executeCommand("setContext", "kernwright.active", true);

  const settled = mkdir(home, { recursive: true })
    .then(() => server.start())
    .then(() => {
      context.subscriptions.push(onSelectedPython(() => void server.restartIfOther()));
      return server.state.kind;
    });
  const activationMs = loadingMs + performance.now() - begun;
  log.info(`activated in ${activationMs.toFixed(1)} ms`);
  return { activationMs, settled };
}

export async function deactivate(): Promise<void> {
  await running?.stop();
}

function firstFolder(): vscode.Uri | undefined {
  return vscode.workspace.workspaceFolders?.[0]?.uri;
}

async function offerServer(server: Server, installer: Installer): Promise<void> {
  if (server.state.kind === "missing" && server.state.why !== undefined) {
    const open = vscode.l10n.t("Open Settings");
    const words = vscode.l10n.t("{0} is no program; see kernwright.server.path", server.state.why);
    if ((await vscode.window.showErrorMessage(words, open)) === open) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "kernwright.server.path");
    }
  } else if (await installer.offer()) {
    await server.restart();
  }
}

/** A server of another release may lack what the views ask, or be asked for what it no longer knows. */
function tellOtherRelease(server: Server, { version }: { version: string }, log: vscode.LogOutputChannel): void {
  if (server.state.kind === "running" && !isSameRelease(server.state.version, version)) {
    const words = vscode.l10n.t(
      "The server is of version {0} and this extension of {1}; some of it may not work.",
      server.state.version,
      version,
    );
    log.warn(words);
    void vscode.window.showWarningMessage(words);
  }
}

function tellFailure(server: Server): void {
  if (server.state.kind !== "failed") {
    return;
  }
  const log = vscode.l10n.t("Show Log");
  const again = vscode.l10n.t("Restart");
  const words = vscode.l10n.t("The Kernwright server does not run: {0}", server.state.why);
  void vscode.window.showErrorMessage(words, again, log).then((answer) => {
    if (answer !== undefined) {
      void vscode.commands.executeCommand(answer === again ? "kernwright.restart" : "kernwright.showLog");
    }
  });
}

let saidCrash = false;

/** Said once in a session; the log has every one. */
function tellCrash(outcome: "restart" | "give-up", log: vscode.LogOutputChannel): void {
  log.warn(outcome === "restart" ? "the server ended by itself; starting it again" : "the server keeps ending");
  if (outcome === "restart" && !saidCrash) {
    saidCrash = true;
    const show = vscode.l10n.t("Show Log");
    void vscode.window
      .showWarningMessage(vscode.l10n.t("The Kernwright server ended unexpectedly and was started again."), show)
      .then((answer) => (answer === show ? vscode.commands.executeCommand("kernwright.showLog") : undefined));
  }
}
