/** Which settings reach the server: those that somebody made, and none that an untrusted workspace may not make. */
import assert from "node:assert/strict";
import test from "node:test";
import { launchSettings, serverSettingNames, serverSettings } from "../src/config";
import { reset } from "./fake/vscode";

const manifest = {
  contributes: {
    configuration: { properties: { "kernwright.rounds": {}, "kernwright.server.path": {}, "kernwright.compiler": {} } },
  },
};

test("the extension's own settings are not the server's", () => {
  assert.deepEqual(serverSettingNames(manifest), ["rounds", "compiler"]);
});

test("a default is not sent, since it would win over a kernwright.toml", () => {
  const fake = reset();
  assert.deepEqual(serverSettings(["rounds", "compiler"], undefined), {});
  fake.settings.set("kernwright.rounds", { workspaceValue: 7 });
  fake.settings.set("kernwright.compiler", { globalValue: "clang" });
  assert.deepEqual(serverSettings(["rounds", "compiler"], undefined), { rounds: 7, compiler: "clang" });
});

test("in an untrusted workspace its own words about programs are left aside, and the user's are not", () => {
  const fake = reset();
  fake.trusted = false;
  fake.settings.set("kernwright.rounds", { workspaceValue: 7 });
  fake.settings.set("kernwright.compiler", { workspaceValue: "./evil" });
  assert.deepEqual(serverSettings(["rounds", "compiler"], undefined), { rounds: 7 });
  fake.settings.set("kernwright.compiler", { globalValue: "clang" });
  assert.deepEqual(serverSettings(["rounds", "compiler"], undefined), { rounds: 7, compiler: "clang" });
});

test("a policy of installing that nobody knows is to ask", () => {
  const fake = reset();
  assert.equal(launchSettings().install, "ask");
  fake.settings.set("kernwright.server.install", { globalValue: "whenever" });
  assert.equal(launchSettings().install, "ask");
  fake.settings.set("kernwright.server.install", { globalValue: "never" });
  assert.equal(launchSettings().install, "never");
});
