/** Making the private environment for the user: asked for first, with progress, and one line when it does not work. */
import * as vscode from "vscode";
import { launchSettings } from "./config";
import { InstallError, installWords } from "./launch/install-error";
import type { PrivateEnvironment, Step } from "./launch/private-environment";
import { lineOf } from "./log";

export class Installer {
  private running: Promise<boolean> | undefined;
  private asked = false;

  constructor(
    private readonly environment: PrivateEnvironment,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  /** What is done about a missing server, by the setting: ask once in a session, make it, or leave it. */
  async offer(): Promise<boolean> {
    const { install } = launchSettings();
    if (install === "automatically") {
      return this.install();
    }
    if (install === "never" || this.asked) {
      return false;
    }
    this.asked = true;
    const yes = vscode.l10n.t("Install");
    const other = vscode.l10n.t("Use My Own…");
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t(
        "Kernwright needs its server. Install it into an environment of its own? Nothing else on this machine is changed.",
      ),
      yes,
      other,
    );
    if (answer === other) {
      await vscode.commands.executeCommand("workbench.action.openSettings", "kernwright.server");
    }
    return answer === yes && (await this.install());
  }

  /** Make the environment, whatever the setting says. Gives whether it is there afterwards. */
  install(): Promise<boolean> {
    this.running ??= this.make().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private async make(): Promise<boolean> {
    const options = {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Installing the Kernwright server"),
      cancellable: true,
    };
    return vscode.window.withProgress(options, async (progress, token) => {
      const aborter = new AbortController();
      token.onCancellationRequested(() => aborter.abort());
      try {
        const program = await this.environment.make({
          python: launchSettings().python,
          signal: aborter.signal,
          step: (step) => progress.report({ message: stepWords(step) }),
          log: (line) => this.log.info(line),
        });
        this.log.info(`installed ${program}`);
        return true;
      } catch (error) {
        this.tell(error);
        return false;
      }
    });
  }

  private tell(error: unknown): void {
    const words =
      error instanceof InstallError
        ? installWords(error)
        : vscode.l10n.t("The server could not be installed: {0}", lineOf(error));
    this.log.error(words);
    if (error instanceof InstallError && error.problem === "cancelled") {
      return;
    }
    const again = vscode.l10n.t("Try Again");
    const log = vscode.l10n.t("Show Log");
    void vscode.window.showErrorMessage(words, again, log).then((answer) => {
      if (answer === again) {
        return vscode.commands.executeCommand("kernwright.installServer");
      }
      return answer === log ? vscode.commands.executeCommand("kernwright.showLog") : undefined;
    });
  }
}

function stepWords(step: Step): string {
  switch (step) {
    case "python":
      return vscode.l10n.t("looking for Python");
    case "environment":
      return vscode.l10n.t("making the environment");
    case "packages":
      return vscode.l10n.t("installing packages; this takes a minute or two");
  }
}
