/** The reports on kernels: a command that opens one, one panel for each kernel, and panels that outlive a reload. */
import * as vscode from "vscode";
import { placeAtCursor, placeIn, type Place } from "../place";
import type { ServerApi } from "../server-api";
import { ReportPanel, VIEW_TYPE } from "./panel";

/**
 * Register `kernwright.openReport`, which takes `{uri, kernel}` or asks which kernel is meant. What is registered goes
 * with the context, and with what is given back.
 */
export function registerReport(context: vscode.ExtensionContext, server: ServerApi): vscode.Disposable {
  const panels = new Map<string, ReportPanel>();

  const take = (panel: vscode.WebviewPanel, place: Place): void => {
    const key = keyOf(place);
    panels.set(key, new ReportPanel(panel, context.extensionUri, server, place, () => panels.delete(key)));
  };

  const open = async (argument: unknown): Promise<void> => {
    const place = placeIn(argument) ?? (await placeAtCursor(server));
    if (place === undefined) {
      return;
    }
    const known = panels.get(keyOf(place));
    if (known !== undefined) {
      known.reveal();
      return;
    }
    const options = { enableScripts: true, enableFindWidget: true };
    const name = place.kernel.replace(/\(.*/s, "");
    const title = vscode.l10n.t("Report on {0}", name);
    take(vscode.window.createWebviewPanel(VIEW_TYPE, title, vscode.ViewColumn.Beside, options), place);
  };

  const registered = vscode.Disposable.from(
    vscode.commands.registerCommand("kernwright.openReport", open),
    vscode.window.registerWebviewPanelSerializer(VIEW_TYPE, {
      deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown) {
        const place = placeIn(state);
        if (place === undefined) {
          panel.dispose();
        } else {
          take(panel, place);
        }
        return Promise.resolve();
      },
    }),
    {
      dispose() {
        for (const panel of [...panels.values()]) {
          panel.dispose();
        }
      },
    },
  );
  context.subscriptions.push(registered);
  return registered;
}

function keyOf({ uri, kernel }: Place): string {
  return `${uri}\n${kernel}`;
}
