/** The commands of the views, which take the node that they were asked for on. */
import * as vscode from "vscode";
import { register } from "../commands";
import type { ChangeRuleParams, KernelItem } from "../protocol";
import type { KernelsView } from "./kernels";
import type { RulesView } from "./rules";

type RuleNode = Parameters<RulesView["open"]>[0];

export function registerViewCommands(kernels: KernelsView, rules: RulesView): vscode.Disposable {
  const onKernel = (name: string, command: string): vscode.Disposable =>
    register(`kernwright.${name}`, (kernel) =>
      vscode.commands.executeCommand(command, {
        uri: (kernel as KernelItem).uri,
        kernel: (kernel as KernelItem).signature,
      }),
    );
  const onRule = (name: string, act: (node: RuleNode) => Promise<void>): vscode.Disposable =>
    register(`kernwright.${name}`, (node) => act(node as RuleNode));
  const changing = (change: ChangeRuleParams["change"]): vscode.Disposable =>
    onRule(`${change}Rule`, (node) => rules.change(node, change));
  return vscode.Disposable.from(
    register("kernwright.searchKernels", () => kernels.search()),
    register("kernwright.openKernel", (kernel) => openKernel(kernel as KernelItem)),
    onKernel("profileKernel", "kernwright.profile"),
    onKernel("optimizeKernel", "kernwright.optimize"),
    onKernel("reportKernel", "kernwright.showReport"),
    register("kernwright.refreshRules", () => rules.reload()),
    onRule("openRule", (node) => rules.open(node)),
    onRule("testRule", (node) => rules.test(node)),
    changing("enable"),
    changing("disable"),
    changing("promote"),
    changing("demote"),
  );
}

async function openKernel(kernel: KernelItem): Promise<void> {
  const at = new vscode.Range(kernel.line, 0, kernel.line, 0);
  await vscode.window.showTextDocument(vscode.Uri.parse(kernel.uri), { selection: at, preview: true });
}
