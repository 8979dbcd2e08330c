import assert from "node:assert/strict";
import { mkdtempSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, test } from "node:test";
import * as vscode from "vscode";
import { FakeServer } from "../fake/server";
import * as api from "../fake/vscode";
import { JOB, KERNELS_CHANGED, REPORT, type ReportResult } from "../../src/protocol";
import { job } from "../samples";
import { registerReport } from "../../src/report";
import { report } from "./samples";

const PLACE = { uri: "file:///w/dot.c", kernel: "dot(int, const float*)" };

/** A webview panel: what it was told, and what its page says. */
class FakePanel {
  readonly told: { readonly type: string; readonly [name: string]: unknown }[] = [];
  private readonly said = new api.EventEmitter<unknown>();
  private readonly gone = new api.EventEmitter<undefined>();
  revealed = 0;
  closed = false;
  readonly webview = {
    options: {},
    html: "",
    cspSource: "https://webview",
    asWebviewUri: (uri: { fsPath: string }) => `https://webview${uri.fsPath}`,
    onDidReceiveMessage: this.said.event,
    postMessage: (message: FakePanel["told"][number]) => {
      this.told.push(message);
      return Promise.resolve(true);
    },
  };
  readonly onDidDispose = this.gone.event;
  constructor(public title: string) {}
  reveal(): void {
    this.revealed += 1;
  }
  dispose(): void {
    if (!this.closed) {
      this.closed = true;
      this.gone.fire(undefined);
    }
  }
  say(message: unknown): void {
    this.said.fire(message);
  }
}

interface Serializer {
  deserializeWebviewPanel(panel: FakePanel, state: unknown): Promise<void>;
}

let panels: FakePanel[] = [];
let opened: { line: number; column: unknown }[] = [];
let serializer: Serializer | undefined;
let target: vscode.Uri | undefined;
let server = new FakeServer();
let home = "";

beforeEach(() => {
  api.reset();
  panels = [];
  opened = [];
  target = undefined;
  server = new FakeServer();
  server.answers.set(REPORT, report());
  home = mkdtempSync(path.join(tmpdir(), "kernwright-report-"));
  mkdirSync(path.join(home, "dist"));
  writeFileSync(path.join(home, "dist", "report.css"), "p { color: red }");
  Object.assign(vscode.Uri, {
    joinPath: (uri: vscode.Uri, ...names: string[]) => vscode.Uri.file(path.join(uri.fsPath, ...names)),
  });
  Object.assign(vscode.ViewColumn, { One: 1 });
  Object.assign(vscode.env, { openExternal: () => Promise.resolve(true) });
  Object.assign(vscode.window, {
    visibleTextEditors: [],
    createWebviewPanel: (_type: string, title: string) => {
      const made = new FakePanel(title);
      panels.push(made);
      return made;
    },
    registerWebviewPanelSerializer: (_type: string, given: Serializer) => {
      serializer = given;
      return new api.Disposable(() => undefined);
    },
    showTextDocument: (_document: unknown, options: { viewColumn: unknown; selection: vscode.Range }) => {
      opened.push({ line: (options.selection.start).line, column: options.viewColumn });
      return Promise.resolve();
    },
    showSaveDialog: () => Promise.resolve(target),
  });
  Object.assign(vscode.workspace, {
    fs: {
      writeFile: (uri: vscode.Uri, data: Uint8Array) => {
        writeFileSync(uri.fsPath, data);
        return Promise.resolve();
      },
    },
    openTextDocument: (uri: vscode.Uri) =>
      Promise.resolve({
        uri,
        lineCount: 20,
        lineAt: (line: number) => ({ range: { start: new vscode.Position(line, 0) } }),
      }),
  });
  const context = { subscriptions: [], extensionUri: vscode.Uri.file(home) };
  registerReport(context as unknown as vscode.ExtensionContext, server.asServer);
});

async function turn(times = 10): Promise<void> {
  for (let at = 0; at < times; at++) {
    await Promise.resolve();
  }
}

async function openedPanel(): Promise<FakePanel> {
  await vscode.commands.executeCommand("kernwright.openReport", PLACE);
  const panel = panels[0];
  assert.ok(panel);
  panel.say({ type: "ready" });
  await turn();
  return panel;
}

test("a report is shown when its page is ready, once for each kernel", async () => {
  const panel = await openedPanel();
  assert.deepEqual(server.heard, [[REPORT, PLACE]]);
  assert.deepEqual(panel.told.map(({ type }) => type), ["report"]);
  assert.equal(panel.title, "Report on dot");
  assert.equal((panel.told[0]?.report as ReportResult).path, "dot.c", "and not where the workspace lies");
  assert.match(panel.webview.html, /script-src 'nonce-[\w-]{20,}'/);
  assert.ok(panel.webview.html.includes(`https://webview${home}/dist/report.js`));
  await vscode.commands.executeCommand("kernwright.openReport", PLACE);
  assert.deepEqual([panels.length, panel.revealed], [1, 1]);
  panel.dispose();
  await vscode.commands.executeCommand("kernwright.openReport", PLACE);
  assert.equal(panels.length, 2, "a closed one is opened again");
});

test("it is asked for again when its kernels change, and not for those of other files", async () => {
  const panel = await openedPanel();
  server.tell(KERNELS_CHANGED, { uri: "file:///w/other.c" });
  server.tell(KERNELS_CHANGED, { uri: PLACE.uri });
  server.tell(KERNELS_CHANGED, { uri: PLACE.uri });
  await new Promise((resolve) => setTimeout(resolve, 400));
  assert.equal(server.heard.length, 2);
  assert.deepEqual(panel.told.map(({ type }) => type), ["report", "report"]);
});

test("what the server cannot say is told in the page", async () => {
  server.answers.set(REPORT, new Error("dot.c: no kernel 'dot'\nmore"));
  const panel = await openedPanel();
  assert.deepEqual(panel.told, [{ type: "problem", text: "dot.c: no kernel 'dot'" }]);
});

test("a job on the kernel is told while it runs", async () => {
  const panel = await openedPanel();
  const about = { uri: PLACE.uri, kernel: PLACE.kernel, title: "Optimizing dot" };
  server.tell(JOB, job({ ...about, state: "running", step: "Write out 4 turns: slower", done: 3, total: 8 }));
  server.tell(JOB, job({ ...about, kernel: "other(int)", state: "running" }));
  server.tell(JOB, job({ ...about, state: "done" }));
  const said = panel.told.filter(({ type }) => type === "job").map(({ text }) => text);
  assert.deepEqual(said, ["Optimizing dot 3/8: Write out 4 turns: slower", ""]);
});

test("lines open in the editor, and buttons run the commands that a user has", async () => {
  const panel = await openedPanel();
  panel.say({ type: "open", line: 13 });
  panel.say({ type: "open", line: 99 });
  panel.say({ type: "run", command: "optimize" });
  panel.say({ type: "preview", offer: "dot-1" });
  panel.say({ type: "run", command: "workbench.action.quit" });
  await turn();
  assert.deepEqual(opened, [
    { line: 13, column: 1 },
    { line: 19, column: 1 },
  ]);
  assert.deepEqual(api.fake.executed.slice(1), [
    ["kernwright.optimize", PLACE],
    ["kernwright.previewOffer", { offer: "dot-1", uri: PLACE.uri }],
  ]);
});

test("it is exported where the user says, and nowhere if he does not", async () => {
  const panel = await openedPanel();
  panel.say({ type: "export", html: "<p>figures</p>" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(api.fake.said, []);
  target = vscode.Uri.file(path.join(home, "report.html"));
  panel.say({ type: "export", html: "<p>figures</p>" });
  await new Promise((resolve) => setTimeout(resolve, 200));
  const html = readFileSync(target.fsPath, "utf8");
  assert.ok(html.includes("<p>figures</p>") && html.includes("p { color: red }"));
  assert.deepEqual(api.fake.said, [`The report was written to ${target.fsPath}.`]);
});

test("a panel outlives a reload of its window", async () => {
  assert.ok(serializer);
  const kept = new FakePanel("kept");
  await serializer.deserializeWebviewPanel(kept, PLACE);
  kept.say({ type: "ready" });
  await turn();
  assert.deepEqual(kept.told.map(({ type }) => type), ["report"]);
  const strange = new FakePanel("strange");
  await serializer.deserializeWebviewPanel(strange, { uri: 7 });
  assert.ok(strange.closed);
});
