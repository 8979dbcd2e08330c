/** The Rules view: what is looked for and proposed, by where a rule stands, with what it has earned. */
import * as vscode from "vscode";
import type { Server } from "../client";
import { lineOf } from "../log";
import {
  CHANGE_RULE,
  RULES,
  RULE_TEXT,
  TEST_RULE,
  type ChangeRuleParams,
  type RuleItem,
  type RulesParams,
  type TestRuleResult,
} from "../protocol";
import type { VirtualTexts } from "../virtual-texts";

/** In the order in which they are shown: what a user's own work has made comes first. */
const STANDINGS = ["resident", "learned", "cold", "bundled"] as const;

interface FolderNode {
  readonly kind: "folder";
  readonly folder: string;
}

interface StandingNode {
  readonly kind: "standing";
  readonly folder: string;
  readonly standing: string;
}

interface RuleNode {
  readonly kind: "rule";
  readonly folder: string;
  readonly rule: RuleItem;
}

type Node = FolderNode | StandingNode | RuleNode;

export class RulesView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  private readonly folders = new Map<string, readonly RuleItem[]>();
  private readonly parts: vscode.Disposable;
  private readonly tests: vscode.DiagnosticCollection;

  readonly onDidChangeTreeData = this.changed.event;

  constructor(
    private readonly server: Server,
    private readonly texts: VirtualTexts,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.tests = vscode.languages.createDiagnosticCollection("kernwright-rules");
    this.parts = vscode.Disposable.from(
      this.changed,
      this.tests,
      vscode.window.createTreeView("kernwright.rules", { treeDataProvider: this, showCollapseAll: true }),
      server.on(RULES, (params) => this.take(params)),
      server.onState((state) => {
        this.folders.clear();
        if (state.kind === "running") {
          void this.reload();
        } else {
          this.changed.fire(undefined);
        }
      }),
    );
  }

  async reload(): Promise<void> {
    try {
      const { folders } = await this.server.ask(RULES, {});
      this.folders.clear();
      for (const { folder, rules } of folders) {
        this.folders.set(folder, rules);
      }
    } catch (error) {
      this.log.debug(lineOf(error));
    }
    this.changed.fire(undefined);
  }

  getChildren(node?: Node): Node[] {
    switch (node?.kind) {
      case undefined: {
        const folders = [...this.folders.keys()];
        return folders.length === 1 && folders[0] !== undefined
          ? this.standings(folders[0])
          : folders.map((folder) => ({ kind: "folder", folder }));
      }
      case "folder":
        return this.standings(node.folder);
      case "standing":
        return this.rulesOf(node.folder)
          .filter((rule) => standingOf(rule) === node.standing)
          .map((rule) => ({ kind: "rule", folder: node.folder, rule }));
      case "rule":
        return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    switch (node.kind) {
      case "folder": {
        const uri = vscode.Uri.file(node.folder);
        const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Expanded);
        item.iconPath = vscode.ThemeIcon.Folder;
        return item;
      }
      case "standing":
        return this.standingItem(node);
      case "rule":
        return ruleItem(node);
    }
  }

  /** Open a rule's file; one that is packed with the server is shown as a text. */
  async open({ folder, rule }: RuleNode): Promise<void> {
    const { path, text } = await this.server.ask(RULE_TEXT, { name: rule.name, folder });
    const uri = path === null ? this.texts.put(`/${rule.name}.md`, "rule", text) : vscode.Uri.file(path);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  async change({ folder, rule }: RuleNode, change: ChangeRuleParams["change"]): Promise<void> {
    const { said } = await this.server.ask(CHANGE_RULE, { name: rule.name, change, folder });
    vscode.window.setStatusBarMessage(said, 8000);
    await this.reload();
  }

  /** Run a rule's own cases; those that fail are shown where they stand. */
  async test({ folder, rule }: RuleNode): Promise<void> {
    const result = await this.server.ask(TEST_RULE, { name: rule.name, folder });
    this.showFailures(result);
    const words = testWords(result);
    if (result.passed) {
      void vscode.window.showInformationMessage(words);
    } else {
      void vscode.window.showWarningMessage(words);
      await vscode.commands.executeCommand("workbench.actions.view.problems");
    }
  }

  dispose(): void {
    this.parts.dispose();
  }

  private take({ folder, rules }: RulesParams): void {
    this.folders.set(folder, rules);
    this.changed.fire(undefined);
  }

  private rulesOf(folder: string): readonly RuleItem[] {
    return this.folders.get(folder) ?? [];
  }

  private standings(folder: string): Node[] {
    const rules = this.rulesOf(folder);
    return STANDINGS.filter((standing) => rules.some((rule) => standingOf(rule) === standing)).map((standing) => ({
      kind: "standing",
      folder,
      standing,
    }));
  }

  private standingItem({ folder, standing }: StandingNode): vscode.TreeItem {
    const state =
      standing === "bundled" ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.Expanded;
    const item = new vscode.TreeItem(standingWords(standing), state);
    item.id = `${folder}#${standing}`;
    item.description = String(this.rulesOf(folder).filter((rule) => standingOf(rule) === standing).length);
    item.contextValue = "standing";
    return item;
  }

  private showFailures({ cases, rule }: TestRuleResult): void {
    const byPath = new Map<string, vscode.Diagnostic[]>();
    for (const one of cases) {
      const known = byPath.get(one.path) ?? [];
      byPath.set(one.path, known);
      if (!one.passed) {
        const at = new vscode.Range(one.line, 0, one.line, Number.MAX_SAFE_INTEGER);
        const diagnostic = new vscode.Diagnostic(at, one.detail || one.outcome, vscode.DiagnosticSeverity.Warning);
        diagnostic.source = "kernwright";
        diagnostic.code = rule;
        known.push(diagnostic);
      }
    }
    for (const [path, diagnostics] of byPath) {
      this.tests.set(vscode.Uri.file(path), diagnostics);
    }
  }
}

/**
 * Where a rule stands: one that was written by hand is always resident, one that was learned is while it earns that,
 * and a cold one is kept and not used.
 */
function standingOf({ status, origin }: RuleItem): (typeof STANDINGS)[number] {
  if (status === "cold" || status === "learned") {
    return status;
  }
  return origin === "bundled" ? "bundled" : "resident";
}

function ruleItem({ folder, rule }: RuleNode): vscode.TreeItem {
  const item = new vscode.TreeItem(rule.name);
  item.id = `${folder}#${rule.name}#${rule.language}`;
  item.description = ruleWords(rule);
  item.tooltip = [rule.description, ruleWords(rule), rule.path ?? ""].filter((line) => line !== "").join("\n");
  item.contextValue = `rule ${standingOf(rule)} ${rule.enabled ? "on" : "off"}`;
  item.iconPath = new vscode.ThemeIcon(rule.enabled ? "book" : "circle-slash");
  item.command = {
    command: "kernwright.openRule",
    title: vscode.l10n.t("Open Rule"),
    arguments: [{ kind: "rule", folder, rule }],
  };
  return item;
}

/** `C · utility 0.42 · 3 adoptions in 2 kernels · off`. */
export function ruleWords(rule: RuleItem): string {
  const words = [rule.language];
  if (rule.utility !== null) {
    words.push(vscode.l10n.t("utility {0}", rule.utility.toFixed(2)));
  }
  if (rule.adoptions > 0) {
    words.push(vscode.l10n.t("adopted {0}×, kernels: {1}", rule.adoptions, rule.kernels));
  }
  if (!rule.enabled) {
    words.push(vscode.l10n.t("off"));
  }
  return words.join(" · ");
}

function standingWords(standing: string): string {
  switch (standing) {
    case "resident":
      return vscode.l10n.t("Resident");
    case "learned":
      return vscode.l10n.t("Learned");
    case "cold":
      return vscode.l10n.t("Cold");
    case "bundled":
      return vscode.l10n.t("Bundled");
    default:
      return standing;
  }
}

function testWords({ rule, cases, passed, problems }: TestRuleResult): string {
  if (passed) {
    return vscode.l10n.t("{0}: all {1} cases pass", rule, cases.length);
  }
  const failed = cases.filter((one) => !one.passed).length;
  return problems[0] ?? vscode.l10n.t("{0}: {1} of {2} cases fail", rule, failed, cases.length);
}
