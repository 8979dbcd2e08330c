/** What the views and the status say, and what the first page proposes. */
import assert from "node:assert/strict";
import test from "node:test";
import { foundWords, toTry } from "../src/first-run";
import { escaped, firstRunPage, PAGE_COMMANDS } from "../src/first-run-page";
import { kernelAbove, sameUri } from "../src/place";
import { CHANGE_RULE, RULES, TEST_RULE } from "../src/protocol";
import { machineLines } from "../src/status";
import { durationWords } from "../src/units";
import { VirtualTexts } from "../src/virtual-texts";
import { byFile, kernelWords } from "../src/views/kernels";
import { ruleWords, RulesView } from "../src/views/rules";
import type { LogOutputChannel } from "vscode";
import { FakeServer } from "./fake/server";
import { reset, window } from "./fake/vscode";
import { kernel, rule } from "./samples";

for (const [ns, words] of [
  [0.4, "0.40 ns"],
  [9.999, "10.0 ns"],
  [999.4, "999 ns"],
  [999.96, "1.00 µs"],
  [12_345, "12.3 µs"],
  [1.5e6, "1.50 ms"],
  [2.5e9, "2.50 s"],
  [250e9, "250 s"],
] as const) {
  test(`${ns} ns are ${words}`, () => assert.equal(durationWords(ns), words));
}

test("a kernel's line says its time, its bound, its rewrites and whether they are of this text", () => {
  reset();
  assert.equal(kernelWords(kernel()), "");
  const known = kernel({ ns: 29_600, share_of_bound: 0.081, offers: 1, best: 11.7, stale: true });
  assert.equal(kernelWords(known), "29.6 µs · 8% of bound · 1 rewrite, 12× · source changed");
  assert.equal(kernelWords(kernel({ offers: 2, best: 5.8, share_of_bound: 1.02 })), "100% of bound · 2 rewrites, 5.8×");
});

test("kernels stand below their files, in the order of their lines", () => {
  const files = byFile([
    kernel({ line: 9, name: "b" }),
    kernel({ uri: "file:///w/x.c" }),
    kernel({ line: 2, name: "a" }),
  ]);
  assert.deepEqual(
    files.map(({ uri, kernels }) => [uri, kernels.map(({ name }) => name)]),
    [
      ["file:///w/dot.c", ["a", "b"]],
      ["file:///w/x.c", ["dot"]],
    ],
  );
});

test("the kernel at a line is the last that begins above", () => {
  const kernels = [kernel({ line: 20, name: "b" }), kernel({ line: 3, name: "a" })];
  assert.equal(kernelAbove(kernels, 2), undefined);
  assert.equal(kernelAbove(kernels, 3)?.name, "a");
  assert.equal(kernelAbove(kernels, 19)?.name, "a");
  assert.equal(kernelAbove(kernels, 100)?.name, "b");
});

test("one document has one URI, however it is escaped", () => {
  assert.equal(sameUri("file:///w/a%20b.c", "file:///w/a b.c"), true);
  assert.equal(sameUri("file:///w/a.c", "file:///w/b.c"), false);
});

const log = window.createOutputChannel() as unknown as LogOutputChannel;

function rulesView(server: FakeServer): RulesView {
  return new RulesView(server.asServer, new VirtualTexts("kernwright-text"), log);
}

test("rules stand where they are: what was learned first, what came with the server last", () => {
  const fake = reset();
  const server = new FakeServer();
  const view = rulesView(server);
  const rules = [
    rule({ name: "a", status: "stable" }),
    rule({ name: "b", status: "preview", origin: "workspace", utility: 0.5, adoptions: 3, kernels: 2 }),
    rule({ name: "c", status: "learned", origin: "workspace", enabled: false }),
    rule({ name: "d", status: "cold", origin: "workspace" }),
  ];
  server.tell(RULES, { folder: "/w", rules });
  const labels = (nodes: ReturnType<typeof view.getChildren>): unknown[] =>
    nodes.map((node) => view.getTreeItem(node).label);
  const standings = view.getChildren();
  assert.deepEqual(labels(standings), ["Resident", "Learned", "Cold", "Bundled"]);
  const shown = standings.flatMap((node) => view.getChildren(node));
  assert.deepEqual(labels(shown), ["b", "c", "d", "a"]);
  assert.deepEqual(
    shown.map((node) => view.getTreeItem(node).contextValue),
    ["rule resident on", "rule learned off", "rule cold on", "rule bundled on"],
  );
  assert.equal(fake.views.has("kernwright.rules"), true);
});

test("rules of two folders stand below their folders, and go with the server", () => {
  reset();
  const server = new FakeServer();
  const view = rulesView(server);
  server.tell(RULES, { folder: "/v", rules: [rule()] });
  server.tell(RULES, { folder: "/w", rules: [rule()] });
  assert.deepEqual(
    view.getChildren().map(({ kind }) => kind),
    ["folder", "folder"],
  );
  server.become({ kind: "stopped" });
  assert.deepEqual(view.getChildren(), []);
});

test("a rule's line says what it has earned", () => {
  reset();
  assert.equal(ruleWords(rule()), "c");
  const earned = rule({ utility: 0.421, adoptions: 3, kernels: 2, enabled: false });
  assert.equal(ruleWords(earned), "c · utility 0.42 · adopted 3×, kernels: 2 · off");
});

test("a rule is changed in its own folder, and what came of it is said", async () => {
  const fake = reset();
  const server = new FakeServer();
  server.answers.set(CHANGE_RULE, { rule: "x", path: "/w/kernwright.toml", said: "x is off in /w" });
  server.answers.set(RULES, { folders: [] });
  await rulesView(server).change({ kind: "rule", folder: "/w", rule: rule({ name: "x" }) }, "disable");
  assert.deepEqual(server.heard[0], [CHANGE_RULE, { name: "x", change: "disable", folder: "/w" }]);
  assert.deepEqual(fake.statusBar, ["x is off in /w"]);
});

test("cases of a rule that fail are shown where they stand", async () => {
  const fake = reset();
  const server = new FakeServer();
  const cases = [
    { path: "/w/x.md", line: 4, outcome: "found", passed: true, detail: "" },
    { path: "/w/x.md", line: 9, outcome: "missing", passed: false, detail: "no finding here" },
  ];
  server.answers.set(TEST_RULE, { rule: "x", passed: false, cases, problems: [] });
  await rulesView(server).test({ kind: "rule", folder: "/w", rule: rule({ name: "x" }) });
  assert.deepEqual(
    fake.diagnostics.get("/w/x.md")?.map(({ message, range }) => [range.start.line, message]),
    [[9, "no finding here"]],
  );
  assert.deepEqual(fake.said, ["x: 1 of 2 cases fail"]);
});

const part = (name: string, found: boolean) => ({
  name,
  found,
  version: found ? `${name} 12.2 (/usr/bin/${name})` : "",
  adds: "compiles",
  remedy: found ? "" : `apt install ${name}`,
});
const machine = {
  trusted: true,
  looked_at: 1,
  device: "x86-64",
  sandbox: "limits",
  strong: false,
  model: null,
  parts: [part("gcc", true), part("clang", false), part("bubblewrap", false)],
  jobs: [],
};

test("the status says what the machine has, and nothing of one that was not looked at", () => {
  reset();
  assert.deepEqual(machineLines(undefined), []);
  assert.deepEqual(machineLines({ ...machine, looked_at: null }), []);
  assert.deepEqual(
    machineLines(machine).map(({ name, words }) => `${name}: ${words}`),
    ["Compilers: gcc 12.2", "Devices: x86-64", "Sandbox: weak: limits", "Model: off"],
  );
  const [compilers] = machineLines({ ...machine, parts: [part("gcc", false)] });
  assert.equal(compilers?.words, "none; a C compiler is needed");
});

test("the kernel to try has a contract, asks nothing, and has something to find fault with", () => {
  const plain = kernel({ name: "plain", contract: "none" });
  const asking = kernel({ name: "asking", asks: ["the size of x"] });
  const good = kernel({ name: "good", findings: 1 });
  assert.equal(toTry([]), undefined);
  assert.equal(toTry([plain, asking, good, kernel({ name: "broken", contract: "broken", findings: 3 })])?.name, "good");
  assert.equal(toTry([plain])?.name, "plain");
});

test("the first page says what was found, what is missing, and what to try", () => {
  reset();
  const kernels = { kernels: [kernel({ name: "dot<float>" })], searched_at: 1, left_out: 0 };
  const page = firstRunPage({ kernels, machine, kernel: kernels.kernels[0], trusted: true }, "n0");
  assert.match(page, /<a href="command:kernwright.openKernel\?%5B[^"]*">dot&lt;float&gt;<\/a> dot\.c:4/);
  assert.match(page, /<th scope="row">gcc<\/th><td>gcc 12\.2/);
  assert.match(page, /<th scope="row">bubblewrap<\/th><td>compiles<\/td><td>apt install bubblewrap<\/td>/);
  assert.match(page, /Nothing is compiled or run before you press/);
  assert.match(page, /command:kernwright\.optimizeKernel/);
  const none = { kernels, machine: undefined, kernel: kernel({ contract: "none" }), trusted: false };
  const untrusted = firstRunPage(none, "n0");
  assert.match(untrusted, /not trusted/);
  assert.match(untrusted, /no contract yet/);
  assert.doesNotMatch(untrusted, /This machine has|optimizeKernel|profileKernel/);
});

test("the first page runs no script and no command but its own", () => {
  reset();
  const kernels = {
    kernels: [kernel({ name: '"><script>alert(1)</script>', uri: "file:///w/%22x%27.c" })],
    searched_at: 1,
    left_out: 3,
  };
  const page = firstRunPage({ kernels, machine, kernel: kernels.kernels[0], trusted: true }, "n0");
  assert.match(page, /content="default-src 'none'; style-src 'nonce-n0'"/);
  assert.doesNotMatch(page, /<script|\son\w+=|javascript:/i);
  const commands = [...page.matchAll(/href="command:([\w.]+)/g)].map(([, command]) => command ?? "");
  assert.ok(commands.length > 3);
  assert.deepEqual(
    commands.filter((command) => !(PAGE_COMMANDS as readonly string[]).includes(command)),
    [],
  );
  assert.equal([...page.matchAll(/<a /g)].length, commands.length, "a link leads elsewhere");
});

test("what was found is counted in words that fit", () => {
  reset();
  assert.equal(foundWords([kernel()]), "Kernwright found a kernel here: dot.");
  assert.equal(foundWords([kernel(), kernel()]), "Kernwright found 2 kernels in one file here.");
  assert.equal(foundWords([kernel(), kernel({ uri: "file:///w/x.c" })]), "Kernwright found 2 kernels in 2 files here.");
});

test("names stand for themselves in HTML", () => {
  assert.equal(escaped(`a<b> & "c" 'd'`), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
});
