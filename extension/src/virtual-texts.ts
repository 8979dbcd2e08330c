/** Texts that are shown and not saved: what a rewrite would make of a file, the text of a packed rule, a report. */
import * as vscode from "vscode";

export class VirtualTexts implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly registration: vscode.Disposable;

  readonly onDidChange = this.changed.event;

  constructor(readonly scheme: string) {
    this.registration = vscode.Disposable.from(
      vscode.workspace.registerTextDocumentContentProvider(scheme, this),
      vscode.workspace.onDidCloseTextDocument(({ uri }) => {
        this.texts.delete(uri.toString());
      }),
    );
  }

  /** Give a text a name. `path` shows in tabs, and its ending tells the language. */
  put(path: string, query: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: this.scheme, path: path.startsWith("/") ? path : `/${path}`, query });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    return uri;
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? "";
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
    this.texts.clear();
  }
}
