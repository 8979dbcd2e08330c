/** The manifest against the code, the server and its translations: nothing is missing, nothing is left over. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import test from "node:test";
import { RESTRICTED, serverSettingNames } from "../src/config";
import { KERNEL_LANGUAGES } from "../src/documents";
// @ts-expect-error: a script without types.
import { stringsOf as readStrings } from "../scripts/strings.mjs";

const stringsOf = readStrings as (folder: string) => Map<string, string>;
const top = process.cwd();
const read = (name: string): string => readFileSync(path.join(top, name), "utf8");
const table = (name: string): Record<string, string> => JSON.parse(read(name)) as Record<string, string>;

interface Property {
  readonly default: unknown;
  readonly scope: string;
}

interface Manifest {
  readonly activationEvents: readonly string[];
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly menus: Record<string, readonly { readonly command?: string }[]>;
    readonly configuration: { readonly properties: Record<string, Property> };
  };
}

const text = read("package.json");
const manifest = JSON.parse(text) as Manifest;
const { properties } = manifest.contributes.configuration;
const placeholders = (words: string): string[] => (words.match(/\{\d+\}/g) ?? []).sort();

test("every text of the manifest is there in English and in Chinese, and none is left over", () => {
  const used = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, name]) => name ?? "").sort();
  const english = table("package.nls.json");
  const chinese = table("package.nls.zh-cn.json");
  assert.deepEqual(Object.keys(english).sort(), [...new Set(used)]);
  assert.deepEqual(Object.keys(chinese).sort(), Object.keys(english).sort());
  for (const [name, words] of Object.entries(chinese)) {
    assert.match(words, /[\p{Script=Han}]|^Kernwright$/u, `${name} is not translated`);
    const links = (of: string): string[] => of.match(/\(command:[^)]*\)/g) ?? [];
    assert.deepEqual(links(words), links(english[name] ?? ""), `${name} has other links`);
  }
});

test("every text of the sources is there in Chinese with the same places to fill in, and none is left over", () => {
  const used = stringsOf(path.join(top, "src"));
  const chinese = table("l10n/bundle.l10n.zh-cn.json");
  const missing = [...used.keys()].filter((words) => !(words in chinese));
  assert.deepEqual(missing, [], "texts without a translation");
  assert.deepEqual(
    Object.keys(chinese).filter((words) => !used.has(words)),
    [],
    "translations of what nobody says",
  );
  for (const [words, translated] of Object.entries(chinese)) {
    assert.deepEqual(placeholders(translated), placeholders(words), words);
    assert.deepEqual(translated.match(/\$\([\w~-]+\)/g), words.match(/\$\([\w~-]+\)/g), words);
  }
});

test("a text that cannot be read off the source is noticed", () => {
  assert.ok(stringsOf(path.join(top, "src")).size > 100);
});

test("nothing of the extension wakes where there are no kernels", () => {
  for (const event of manifest.activationEvents) {
    assert.doesNotMatch(event, /^\*$|^onStartupFinished$|^onLanguage:python$|^onLanguage$/);
  }
  for (const language of KERNEL_LANGUAGES) {
    assert.ok(manifest.activationEvents.includes(`onLanguage:${language}`), language);
  }
});

test("the settings that name programs are restricted in untrusted workspaces, and the same ones in the code", () => {
  const { restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
  assert.deepEqual([...restrictedConfigurations].sort(), [...RESTRICTED].map((name) => `kernwright.${name}`).sort());
  for (const name of restrictedConfigurations) {
    assert.notEqual(properties[name]?.scope, "resource", `${name} could be said by a folder`);
  }
});

test("menus name commands that are declared", () => {
  const declared = new Set(manifest.contributes.commands.map(({ command }) => command));
  for (const entry of Object.values(manifest.contributes.menus).flat()) {
    assert.ok(entry.command === undefined || declared.has(entry.command), `${entry.command ?? ""} is in a menu alone`);
  }
});

/** Settings of the command line, and of what is said by the editor's own means. */
const NOT_THE_EDITORS = ["debug", "ignore", "jobs", "trusted"];
const program = path.join(top, "..", ".venv", "bin", "kernwright");

test(
  "the settings are the server's, with its defaults",
  { skip: !existsSync(program) && "no server is installed" },
  () => {
    const said = execFileSync(program, ["schema", "settings"], { encoding: "utf8" });
    const { properties: known } = JSON.parse(said) as { properties: Record<string, { default?: unknown }> };
    const camel = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    const ofServer = Object.keys(known)
      .filter((name) => !NOT_THE_EDITORS.includes(name))
      .map(camel);
    assert.deepEqual(serverSettingNames(manifest).sort(), ofServer.sort());
    for (const [name, { default: value }] of Object.entries(known)) {
      const here = properties[`kernwright.${camel(name)}`];
      // A table without a default begins empty, and a folder that is not named is shown as no text.
      if (here !== undefined && value !== undefined && !["cache", "data", "memory", "model"].includes(name)) {
        assert.deepEqual(here.default, value, name);
      }
    }
  },
);
