/** One report: a panel with its page, kept up to date while it is open. */
import * as vscode from "vscode";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { lineOf } from "../log";
import { sameUri, type Place } from "../place";
import { JOB, KERNELS_CHANGED, REPORT, type JobParams, type ReportResult } from "../protocol";
import type { ServerApi } from "../server-api";
import { fromPage, type FromPage, type ToPage } from "./messages";
import { exportedHtml, newNonce, pageHtml } from "./page";
import { reportWords } from "./words";

export const VIEW_TYPE = "kernwright.report";
const CALM_MS = 300;

export class ReportPanel implements vscode.Disposable {
  private readonly parts: vscode.Disposable[];
  private shown: ReportResult | undefined;
  private timer: NodeJS.Timeout | undefined;
  private asked = 0;

  constructor(
    private readonly panel: vscode.WebviewPanel,
    private readonly home: vscode.Uri,
    private readonly server: ServerApi,
    readonly place: Place,
    closed: () => void,
  ) {
    const { webview } = panel;
    webview.options = { enableScripts: true, localResourceRoots: [this.bundle()] };
    webview.html = this.html();
    this.parts = [
      webview.onDidReceiveMessage((said: unknown) => this.hear(fromPage(said))),
      server.on(KERNELS_CHANGED, ({ uri }) => this.changed(uri)),
      server.on(JOB, (job) => this.tellJob(job)),
      panel.onDidDispose(() => {
        closed();
        this.dispose();
      }),
    ];
  }

  /** Bring the panel to the front. */
  reveal(): void {
    this.panel.reveal(undefined, false);
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const part of this.parts) {
      part.dispose();
    }
    this.panel.dispose();
  }

  private bundle(): vscode.Uri {
    return vscode.Uri.joinPath(this.home, "dist");
  }

  private html(): string {
    const { webview } = this.panel;
    const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.bundle(), name)).toString();
    const addresses = {
      script: address("report.js"),
      style: address("report.css"),
      cspSource: webview.cspSource,
    };
    return pageHtml(addresses, newNonce(), vscode.env.language);
  }

  private tell(message: ToPage): void {
    void this.panel.webview.postMessage(message);
  }

  private hear(said: FromPage | undefined): void {
    switch (said?.type) {
      case "ready":
        void this.refresh();
        break;
      case "open":
        void this.open(said.line);
        break;
      case "run":
        void vscode.commands.executeCommand(`kernwright.${said.command}`, this.place);
        break;
      case "preview":
        void vscode.commands.executeCommand("kernwright.previewOffer", { offer: said.offer, uri: this.place.uri });
        break;
      case "export":
        void this.export(said.html).catch((error: unknown) => vscode.window.showErrorMessage(lineOf(error)));
        break;
      case undefined:
        break;
    }
  }

  private changed(uri: string): void {
    if (sameUri(uri, this.place.uri)) {
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        void this.refresh();
      }, CALM_MS);
    }
  }

  /** Ask for the report and show it. An answer that a newer question has outrun is left aside. */
  private async refresh(): Promise<void> {
    const number = ++this.asked;
    try {
      // The server works on open files.
      await vscode.workspace.openTextDocument(vscode.Uri.parse(this.place.uri));
      const report = await this.server.ask(REPORT, this.place);
      if (number === this.asked) {
        this.shown = report;
        this.panel.title = vscode.l10n.t("Report on {0}", report.name);
        // The page may be exported and handed on: it need not say where the workspace lies.
        const shown = { ...report, path: vscode.workspace.asRelativePath(vscode.Uri.parse(report.uri)) };
        this.tell({ type: "report", report: shown, words: reportWords(), locale: vscode.env.language });
      }
    } catch (error) {
      if (number === this.asked) {
        this.tell({ type: "problem", text: lineOf(error) });
      }
    }
  }

  private tellJob(job: JobParams): void {
    if (sameUri(job.uri, this.place.uri) && job.kernel === this.place.kernel) {
      const running = job.state === "queued" || job.state === "running";
      const steps = job.total > 0 ? ` ${job.done}/${job.total}` : "";
      this.tell({ type: "job", text: running ? `${job.title}${steps}: ${job.step || job.state}` : "" });
    }
  }

  private async open(line: number): Promise<void> {
    const uri = vscode.Uri.parse(this.place.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const at = document.lineAt(Math.min(line, document.lineCount - 1)).range.start;
    const open = vscode.window.visibleTextEditors.find(({ document: one }) =>
      sameUri(one.uri.toString(), this.place.uri),
    );
    await vscode.window.showTextDocument(document, {
      viewColumn: open?.viewColumn ?? vscode.ViewColumn.One,
      selection: new vscode.Range(at, at),
    });
  }

  private async export(content: string): Promise<void> {
    const report = this.shown;
    if (report === undefined) {
      return;
    }
    const folder = path.dirname(vscode.Uri.parse(this.place.uri).fsPath);
    const target = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.file(path.join(folder, `${report.name.replace(/\W+/g, "-")}-report.html`)),
      filters: { HTML: ["html"] },
    });
    if (target === undefined) {
      return;
    }
    const style = await readFile(vscode.Uri.joinPath(this.bundle(), "report.css").fsPath, "utf8");
    const title = vscode.l10n.t("Report on {0}", report.name);
    const html = exportedHtml(content, style, title, vscode.env.language);
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(html));
    const open = vscode.l10n.t("Open");
    const words = vscode.l10n.t("The report was written to {0}.", target.fsPath);
    if ((await vscode.window.showInformationMessage(words, open)) === open) {
      await vscode.env.openExternal(target);
    }
  }
}
