/** The whole extension, activated with the fake editor and no server. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import test from "node:test";
import { activate, deactivate } from "../src/main";
import { reset, Uri } from "./fake/vscode";
import type { ExtensionContext } from "vscode";

const top = process.cwd();
(globalThis as { loadingMs?: number }).loadingMs = 1;

interface Memory {
  get(name: string): unknown;
  update(name: string, value: unknown): Promise<void>;
}

function memory(): Memory {
  const kept = new Map<string, unknown>();
  return {
    get: (name) => kept.get(name),
    update: (name, value) => {
      kept.set(name, value);
      return Promise.resolve();
    },
  };
}

function contextIn(folder: string): ExtensionContext {
  return {
    subscriptions: [],
    extensionPath: folder,
    extensionUri: Uri.file(folder),
    globalStorageUri: Uri.file(path.join(folder, "storage")),
    workspaceState: memory(),
    globalState: memory(),
    secrets: { get: () => Promise.resolve(undefined) },
    extension: {
      id: "kernwright.kernwright",
      packageJSON: JSON.parse(readFileSync(path.join(top, "package.json"), "utf8")) as unknown,
    },
  } as unknown as ExtensionContext;
}

/** The server's commands, which the client registers while one runs. */
function serverCommands(): Set<string> {
  const names = readFileSync(path.join(top, "..", "server", "kernwright", "lsp", "names.py"), "utf8");
  return new Set([...names.matchAll(/"(kernwright\.\w+)"/g)].map(([, name]) => name ?? ""));
}

test("it registers what the manifest declares, says once that the server named is none, and ends", async () => {
  const fake = reset();
  const folder = mkdtempSync(path.join(os.tmpdir(), "kernwright-"));
  try {
    fake.settings.set("kernwright.server.path", { globalValue: path.join(folder, "none") });
    const context = contextIn(folder);
    const { settled, activationMs } = activate(context);
    assert.equal(await settled, "missing");
    assert.ok(activationMs > 0);
    assert.equal(fake.contexts.get("kernwright.active"), true);
    assert.equal(fake.contexts.get("kernwright.running"), false);
    assert.deepEqual(fake.said, [`${path.join(folder, "none")} is no program; see kernwright.server.path`]);
    assert.match(fake.bars[0]?.tooltip ?? "", /none is no program/);

    const { contributes } = context.extension.packageJSON as { contributes: { commands: { command: string }[] } };
    const declared = contributes.commands.map(({ command }) => command).sort();
    const ofServer = serverCommands();
    const carriedOut = new Set([...fake.commands.keys(), ...ofServer]);
    assert.deepEqual(
      declared.filter((command) => !carriedOut.has(command)),
      [],
      "declared and carried out by nobody",
    );
    // The client registers the server's commands, and the editor refuses to have one registered twice.
    assert.deepEqual(
      [...fake.commands.keys()].filter((command) => ofServer.has(command)),
      [],
    );

    await deactivate();
    for (const one of context.subscriptions) {
      one.dispose();
    }
    assert.deepEqual([...fake.commands.keys()], []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("without a server it asks once before anything is installed", async () => {
  const fake = reset();
  const folder = mkdtempSync(path.join(os.tmpdir(), "kernwright-"));
  const before = process.env.PATH;
  process.env.PATH = folder;
  try {
    const { settled } = activate(contextIn(folder));
    assert.equal(await settled, "missing");
    assert.equal(fake.said.length, 1);
    assert.match(fake.said[0] ?? "", /needs its server/);
    assert.equal(fake.progress.length, 0);
    await deactivate();
  } finally {
    process.env.PATH = before;
    rmSync(folder, { recursive: true, force: true });
  }
});
