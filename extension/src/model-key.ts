/**
 * The key of a model, kept where the editor keeps secrets. It goes to the server when that asks for it, in a trusted
 * workspace, and nowhere else: not into settings, the log or the environment of a process.
 */
import * as vscode from "vscode";

/** A request of the server's: `{}` to `{key: string | null}`. */
export const MODEL_KEY = "kernwright/modelKey";
const SECRET = "kernwright.modelKey";

export class ModelKey {
  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** The answer to the server. */
  async answer(): Promise<{ key: string | null }> {
    return { key: vscode.workspace.isTrusted ? ((await this.secrets.get(SECRET)) ?? null) : null };
  }

  async isSet(): Promise<boolean> {
    return (await this.secrets.get(SECRET)) !== undefined;
  }

  async set(): Promise<void> {
    const key = await vscode.window.showInputBox({
      title: vscode.l10n.t("Key of the model"),
      prompt: vscode.l10n.t("Kept in the editor's secret storage and given to the server when it asks for it."),
      password: true,
      ignoreFocusOut: true,
      validateInput: (value) => (/\s/.test(value.trim()) ? vscode.l10n.t("A key has no spaces in it.") : undefined),
    });
    if (key !== undefined && key.trim() !== "") {
      await this.secrets.store(SECRET, key.trim());
      void vscode.window.showInformationMessage(vscode.l10n.t("The key is kept; it is used from the next search on."));
    }
  }

  async clear(): Promise<void> {
    await this.secrets.delete(SECRET);
    void vscode.window.showInformationMessage(vscode.l10n.t("The key is forgotten."));
  }
}
