/** Why a rewrite is not wanted. What a reason weighs is the server's matter. */
import * as vscode from "vscode";

export type Reason = "wrong" | "not-worth-it" | "not-now" | "other";

/** Undefined when the user thinks better of it: then nothing is rejected. */
export async function askReason(title: string): Promise<Reason | undefined> {
  const items: (vscode.QuickPickItem & { readonly reason: Reason })[] = [
    {
      label: vscode.l10n.t("Wrong"),
      description: vscode.l10n.t("It does not do what the kernel is meant to do"),
      reason: "wrong",
    },
    {
      label: vscode.l10n.t("Not worth it"),
      description: vscode.l10n.t("The gain does not make up for the code"),
      reason: "not-worth-it",
    },
    {
      label: vscode.l10n.t("Not now"),
      description: vscode.l10n.t("Says nothing against it"),
      reason: "not-now",
    },
    { label: vscode.l10n.t("Another reason"), reason: "other" },
  ];
  const chosen = await vscode.window.showQuickPick(items, {
    title: vscode.l10n.t("Reject: {0}", title),
    placeHolder: vscode.l10n.t("Why is this rewrite not wanted?"),
  });
  return chosen?.reason;
}
