/** Looking at offers before they are taken: preview as a diff, accept, reject with a reason, choose among several. */
import * as vscode from "vscode";
import type { CodeAction, WorkspaceEdit } from "vscode-languageclient/node";
import type { Server } from "../client";
import { lineOf } from "../log";
import { sameUri, type Place } from "../place";
import { CHANGE_RULE, OFFERS, TAKEN_BACK, TAKE_BACK, type OfferItem, type TakenBackParams } from "../protocol";
import { VirtualTexts } from "../virtual-texts";
import { editsOf, confirmed, withEdits } from "./apply-edits";
import { OfferBook, type PlacedOffer } from "./book";
import { askReason, type Reason } from "./reasons";

export const PREVIEW_SCHEME = "kernwright-offer";

export class Offers implements vscode.Disposable {
  readonly book = new OfferBook();
  private readonly texts = new VirtualTexts(PREVIEW_SCHEME);
  private readonly previews = new Map<string, PlacedOffer>();
  private readonly parts: vscode.Disposable;
  /** What was accepted in this session, by offer; the newest last. */
  private readonly accepted = new Map<string, PlacedOffer>();
  /** The last rejection, which can be taken back by a command. */
  private rejected: { readonly offer: string; readonly title: string } | undefined;

  constructor(private readonly server: Server) {
    this.parts = vscode.Disposable.from(
      this.texts,
      server.on(OFFERS, (params) => this.book.take(params)),
      server.on(TAKEN_BACK, (params) => this.tellTakenBack(params)),
      server.onState((state) => {
        if (state.kind !== "running") {
          this.book.clear();
        }
      }),
      vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
        for (const { input } of closed) {
          if (input instanceof vscode.TabInputTextDiff) {
            this.previews.delete(input.modified.toString());
          }
        }
      }),
    );
  }

  /** The server's actions, each offer followed by a look at it. */
  withPreviews(
    document: vscode.TextDocument,
    actions: readonly (vscode.Command | vscode.CodeAction)[],
  ): (vscode.Command | vscode.CodeAction)[] {
    return actions.flatMap((action) => {
      const id = offerOf(action);
      if (id === undefined || !(action instanceof vscode.CodeAction)) {
        return [action];
      }
      const title = vscode.l10n.t("Preview: {0}", action.title);
      // Of the same kind, since whoever asks for quick fixes alone is given nothing else.
      const preview = new vscode.CodeAction(title, action.kind);
      const argument = { offer: id, uri: document.uri.toString() };
      preview.command = { title, command: "kernwright.previewOffer", arguments: [argument] };
      return [action, preview];
    });
  }

  /** Show what an offer would make of its file, beside the file as it is. */
  async preview(id: string): Promise<void> {
    const placed = this.need(id);
    const uri = vscode.Uri.parse(placed.uri);
    const document = await vscode.workspace.openTextDocument(uri);
    const edits = editsOf(await this.editOf(placed), (one) => sameUri(one, placed.uri));
    if (edits === undefined) {
      throw new Error(vscode.l10n.t("This rewrite changes more than one file and cannot be shown as a difference."));
    }
    const shown = this.texts.put(uri.path, placed.offer.id, withEdits(document.getText(), edits));
    this.previews.set(shown.toString(), placed);
    const title = `${uri.path.split("/").at(-1) ?? ""}: ${placed.offer.title}`;
    await vscode.commands.executeCommand("vscode.diff", uri, shown, title, { preview: true });
  }

  /** Make the edit of an offer, and have the acceptance remembered. Gives whether it was made. */
  async accept(id: string): Promise<boolean> {
    const placed = this.need(id);
    if (!(await confirmsAssumptions(placed.offer))) {
      return false;
    }
    const client = this.server.running;
    const edit = confirmed(await this.editOf(placed));
    const made = await client?.protocol2CodeConverter.asWorkspaceEdit(edit);
    if (made === undefined || !(await vscode.workspace.applyEdit(made))) {
      throw new Error(vscode.l10n.t("The text has changed meanwhile; nothing was applied."));
    }
    await this.remember([id], { offer: id, applied: true });
    this.closePreviews(id);
    return true;
  }

  /** Have an acceptance remembered whose edit the editor has made already. */
  async remember(ids: readonly string[], argument: object): Promise<unknown> {
    const placed = ids.map((id) => this.book.find(id));
    const answer = await this.server.execute("kernwright.accept", argument);
    for (const one of placed) {
      if (one !== undefined) {
        this.accepted.set(one.offer.id, one);
      }
    }
    return answer;
  }

  /** Make a rule of an accepted rewrite: the user chooses which. */
  async promote(): Promise<void> {
    const items = [...this.accepted.values()].reverse().map(({ uri, offer }) => ({
      label: offer.title,
      description: vscode.workspace.asRelativePath(vscode.Uri.parse(uri)),
      uri,
      offer,
    }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("No rewrite was accepted in this session; accept one, then make a rule of it."),
      );
      return;
    }
    const placeHolder = vscode.l10n.t("Which rewrite becomes a rule?");
    const chosen = await vscode.window.showQuickPick(items, { placeHolder, matchOnDescription: true });
    if (chosen === undefined) {
      return;
    }
    const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.parse(chosen.uri))?.uri.fsPath ?? null;
    const made = await this.server.ask(CHANGE_RULE, { name: chosen.offer.id, change: "promote", folder });
    const open = vscode.l10n.t("Open Rule");
    if ((await vscode.window.showInformationMessage(made.said, open)) === open) {
      await vscode.window.showTextDocument(vscode.Uri.file(made.path));
    }
  }

  /** Ask for a reason unless one is given, and have the rejection remembered. */
  async reject(id: string, given?: Reason): Promise<boolean> {
    const { offer } = this.need(id);
    const reason = given ?? (await askReason(offer.title));
    if (reason === undefined) {
      return false;
    }
    await this.server.execute("kernwright.reject", { offer: id, reason });
    this.rejected = { offer: id, title: offer.title };
    this.closePreviews(id);
    return true;
  }

  /** Take the last rejection back. An acceptance is taken back by undoing its edit. */
  async takeBack(): Promise<void> {
    if (this.rejected === undefined) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("Nothing was rejected in this session. An accepted rewrite is taken back by undoing its edit."),
      );
      return;
    }
    await this.server.ask(TAKE_BACK, { offer: this.rejected.offer });
    this.rejected = undefined;
  }

  /** Let the user choose one of a kernel's offers, look at it, accept or reject it. */
  async choose({ uri, kernel }: Place): Promise<void> {
    const offers = this.book.of(uri, kernel);
    if (offers.length === 0) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("There is no verified rewrite of this kernel; Optimize looks for some."),
      );
      return;
    }
    await pickOffer(offers, async (offer, what) => {
      if (what === "reject") {
        await this.reject(offer.id);
      } else if (what === "accept") {
        await this.accept(offer.id);
      } else {
        await this.preview(offer.id);
      }
    });
  }

  /** The offer that a preview shows; without a name the one of the active tab. */
  previewed(uri: vscode.Uri | undefined): string | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const named = uri ?? (input instanceof vscode.TabInputTextDiff ? input.modified : undefined);
    return named === undefined ? undefined : this.previews.get(named.toString())?.offer.id;
  }

  dispose(): void {
    this.parts.dispose();
  }

  private need(id: string): PlacedOffer {
    const placed = this.book.find(id);
    if (placed === undefined) {
      throw new Error(vscode.l10n.t("This rewrite is no longer offered: its text has changed. Optimize looks again."));
    }
    return placed;
  }

  /** The edit of an offer for the text as it is now. */
  private async editOf({ uri, offer }: PlacedOffer): Promise<WorkspaceEdit> {
    const client = this.server.running;
    const action: CodeAction = { title: offer.title, data: { offer: offer.id, uri } };
    const resolved = await client?.sendRequest<CodeAction>("codeAction/resolve", action);
    if (resolved?.edit === undefined) {
      throw new Error(vscode.l10n.t("This rewrite no longer applies to the text; Optimize looks again."));
    }
    return resolved.edit;
  }

  private closePreviews(id: string): void {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    const shown = tabs.filter(
      ({ input }) =>
        input instanceof vscode.TabInputTextDiff && this.previews.get(input.modified.toString())?.offer.id === id,
    );
    if (shown.length > 0) {
      void vscode.window.tabGroups.close(shown, true);
    }
  }

  private tellTakenBack({ title, decision, offer }: TakenBackParams): void {
    this.accepted.delete(offer);
    if (this.rejected?.offer === offer) {
      this.rejected = undefined;
    }
    const words =
      decision === "accepted"
        ? vscode.l10n.t("Acceptance taken back: {0}", title)
        : vscode.l10n.t("Rejection taken back: {0}", title);
    vscode.window.setStatusBarMessage(`$(discard) ${words}`, 8000);
  }
}

/** The id of the offer that an action of the server's applies. Its method is what says that it has such data. */
export function offerOf(action: vscode.Command | vscode.CodeAction): string | undefined {
  const { data } = action as { data?: unknown };
  const offer = typeof data === "object" && data !== null ? (data as { offer?: unknown }).offer : undefined;
  return typeof offer === "string" ? offer : undefined;
}

async function confirmsAssumptions(offer: OfferItem): Promise<boolean> {
  if (offer.assumes.length === 0) {
    return true;
  }
  const accept = vscode.l10n.t("Accept");
  const detail = offer.assumes.map((name) => `• ${assumptionWords(name)}`).join("\n");
  const message = vscode.l10n.t("This rewrite is only right if:");
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, accept)) === accept;
}

function assumptionWords(name: string): string {
  switch (name) {
    case "reassociation":
      return vscode.l10n.t("floating-point operations may be done in another order");
    case "no-overlap":
      return vscode.l10n.t("the arrays do not overlap");
    case "contraction":
      return vscode.l10n.t("multiplies and adds may be fused");
    case "no-index-wrap":
      return vscode.l10n.t("no index wraps around");
    default:
      return vscode.l10n.t("{0} is allowed", name);
  }
}

type Choice = "preview" | "accept" | "reject";

async function pickOffer(
  offers: readonly OfferItem[],
  act: (offer: OfferItem, what: Choice) => Promise<void>,
): Promise<void> {
  const accept = { iconPath: new vscode.ThemeIcon("check"), tooltip: vscode.l10n.t("Accept") };
  const reject = { iconPath: new vscode.ThemeIcon("close"), tooltip: vscode.l10n.t("Reject…") };
  const items = offers.map((offer) => ({
    label: offer.title,
    detail: [...offer.assumes.map((name) => vscode.l10n.t("assumes: {0}", assumptionWords(name))), ...offer.notes].join(
      " · ",
    ),
    buttons: [accept, reject],
    offer,
  }));
  const pick = vscode.window.createQuickPick<(typeof items)[number]>();
  pick.items = items;
  pick.title = vscode.l10n.t("Verified rewrites");
  pick.placeholder = vscode.l10n.t("Choose one to see it as a difference");
  const done = (offer: OfferItem | undefined, what: Choice): void => {
    pick.hide();
    if (offer !== undefined) {
      act(offer, what).catch((error: unknown) => void vscode.window.showWarningMessage(lineOf(error)));
    }
  };
  pick.onDidAccept(() => done(pick.selectedItems[0]?.offer, "preview"));
  pick.onDidTriggerItemButton(({ item, button }) => done(item.offer, button === accept ? "accept" : "reject"));
  pick.onDidHide(() => pick.dispose());
  pick.show();
  await Promise.resolve();
}
