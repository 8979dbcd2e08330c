/** The commands: those of the server's, carried out for a user, and the extension's own. */
import * as vscode from "vscode";
import type { Server } from "./client";
import { insertContract, mayBegin } from "./contracts";
import { runDoctor } from "./doctor";
import type { FirstRun } from "./first-run";
import type { Installer } from "./install";
import { lineOf } from "./log";
import type { ModelKey } from "./model-key";
import type { Offers } from "./offers/offers";
import { placeAtCursor, placeIn, type Place } from "./place";
import type { Status } from "./status";
import { toggleTrace } from "./trace";
import type { VirtualTexts } from "./virtual-texts";

export interface Parts {
  readonly context: vscode.ExtensionContext;
  readonly server: Server;
  readonly offers: Offers;
  readonly installer: Installer;
  readonly modelKey: ModelKey;
  readonly status: () => Status;
  readonly firstRun: () => FirstRun;
  readonly texts: VirtualTexts;
  readonly log: vscode.LogOutputChannel;
}

/**
 * A command of the server's, asked for by a lens, an action, a menu or the palette. What goes wrong is one line, and no
 * "running the contributed command failed".
 */
export async function serverCommand(parts: Parts, command: string, args: readonly unknown[]): Promise<unknown> {
  try {
    return await carryOut(parts, command, args[0]);
  } catch (error) {
    void vscode.window.showWarningMessage(lineOf(error));
    return undefined;
  }
}

async function carryOut({ server, offers }: Parts, command: string, argument: unknown): Promise<unknown> {
  switch (command) {
    case "kernwright.accept":
    case "kernwright.reject":
      return decide(server, offers, command, argument);
    case "kernwright.cancel":
    case "kernwright.promote":
    case "kernwright.demote":
      return server.execute(command, isTable(argument) ? argument : {});
    default: {
      const place = placeIn(argument) ?? (await placeAtCursor(server));
      return place === undefined ? undefined : atKernel(server, offers, command, place, argument);
    }
  }
}

/** An edit that the editor made already is remembered as it is; anything else is asked about first. */
async function decide(server: Server, offers: Offers, command: string, argument: unknown): Promise<unknown> {
  const table = (isTable(argument) ? argument : {}) as Record<string, unknown>;
  const { offer, offers: several, applied, reason } = table;
  if (applied === true) {
    const ids = Array.isArray(several) ? several.map(String) : [String(offer)];
    return offers.remember(ids, table);
  }
  if (reason !== undefined || typeof offer !== "string") {
    return server.execute(command, table);
  }
  return command === "kernwright.accept" ? offers.accept(offer) : offers.reject(offer);
}

async function atKernel(
  server: Server,
  offers: Offers,
  command: string,
  place: Place,
  argument: unknown,
): Promise<unknown> {
  // The server works on open files, and a kernel may have been chosen in a view.
  await vscode.workspace.openTextDocument(vscode.Uri.parse(place.uri));
  switch (command) {
    case "kernwright.showReport":
      return vscode.commands.executeCommand("kernwright.openReport", place);
    case "kernwright.showOffers":
      return offers.choose(place);
    case "kernwright.insertContract":
      return isTable(argument) && "told" in argument
        ? server.execute(command, argument)
        : insertContract(server, place);
    case "kernwright.optimize":
    case "kernwright.profile":
      if (!vscode.workspace.isTrusted) {
        return askForTrust();
      }
      return (await mayBegin(server, place)) ? server.execute(command, place) : undefined;
    default:
      return server.execute(command, place);
  }
}

async function askForTrust(): Promise<void> {
  const manage = vscode.l10n.t("Manage Trust");
  const answer = await vscode.window.showWarningMessage(
    vscode.l10n.t("This workspace is not trusted, so nothing of it is compiled or run."),
    manage,
  );
  if (answer === manage) {
    await vscode.commands.executeCommand("workbench.trust.manage");
  }
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The extension's own commands; they are there whether or not a server runs. */
export function registerCommands(parts: Parts): vscode.Disposable {
  const { server, offers, installer, modelKey, context, log } = parts;
  const own: Record<string, (...args: never[]) => unknown> = {
    restart: () => server.restart(),
    showLog: () => log.show(),
    showStatus: () => parts.status().choose(),
    doctor: () => runDoctor(server, parts.texts, context.globalStorageUri.fsPath),
    recordTrace: () => toggleTrace(server),
    installServer: async () => {
      if (await installer.install()) {
        await server.restart();
      }
    },
    setModelKey: () => modelKey.set(),
    clearModelKey: () => modelKey.clear(),
    firstRun: () => parts.firstRun().show(),
    openWalkthrough: () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", `${context.extension.id}#start`, false),
    previewOffer: (argument: { offer: string }) => offers.preview(argument.offer),
    acceptPreview: (uri?: vscode.Uri) => withPreviewed(offers, uri, (id) => offers.accept(id)),
    rejectPreview: (uri?: vscode.Uri) => withPreviewed(offers, uri, (id) => offers.reject(id)),
    takeBack: () => offers.takeBack(),
    promoteAccepted: () => offers.promote(),
  };
  return vscode.Disposable.from(
    ...Object.entries(own).map(([name, act]) => register(`kernwright.${name}`, act as (...args: unknown[]) => unknown)),
  );
}

/** Register a command whose failure is said in one line. */
export function register(name: string, act: (...args: unknown[]) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(name, async (...args: unknown[]) => {
    try {
      return await act(...args);
    } catch (error) {
      void vscode.window.showWarningMessage(lineOf(error));
      return undefined;
    }
  });
}

async function withPreviewed(
  offers: Offers,
  uri: vscode.Uri | undefined,
  act: (id: string) => Promise<boolean>,
): Promise<void> {
  const id = offers.previewed(uri);
  if (id === undefined) {
    throw new Error(vscode.l10n.t("No rewrite is shown here."));
  }
  await act(id);
}
