/** Which server is found, and how the private environment is made: with programs that only pretend. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { expanded, findServer, type Places } from "../src/launch/find-server";
import { explained, InstallError, installWords, type InstallProblem } from "../src/launch/install-error";
import { PrivateEnvironment, type Making, type Step } from "../src/launch/private-environment";
import { onPath } from "../src/launch/programs";
import { isSameRelease } from "../src/launch/release";
import { reset } from "./fake/vscode";

/** A folder that goes with the test, and a PATH of its own. */
function ground(context: TestContext): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), "kernwright-"));
  const before = process.env.PATH;
  mkdirSync(path.join(folder, "bin"));
  process.env.PATH = `${path.join(folder, "bin")}:.:/usr/bin:/bin`;
  context.after(() => {
    process.env.PATH = before;
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function program(file: string, script: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

function places(changes: Partial<Places> & { path?: string } = {}): Places {
  return {
    settings: { path: changes.path ?? "", python: "", install: "ask" },
    folder: undefined,
    selectedPython: () => Promise.resolve(undefined),
    privateServer: () => Promise.resolve(undefined),
    ...changes,
  };
}

test("a server that is named is taken, or said to be missing; nothing else is looked at then", async (context) => {
  const folder = ground(context);
  const named = program(path.join(folder, "mine"), "");
  const other = (): Promise<never> => Promise.reject(new Error("was looked at"));
  const nothingElse = { selectedPython: other, privateServer: other };
  assert.deepEqual(await findServer(places({ path: named, ...nothingElse })), {
    program: named,
    prefix: [],
    origin: "setting",
  });
  const none = path.join(folder, "none");
  assert.deepEqual(await findServer(places({ path: none, ...nothingElse })), { missing: true, why: none });
  writeFileSync(none, "no program");
  assert.deepEqual(await findServer(places({ path: none, ...nothingElse })), { missing: true, why: none });
});

test("then that of the selected environment, our own, and the one on the PATH", async (context) => {
  const folder = ground(context);
  assert.deepEqual(await findServer(places()), { missing: true });
  const onTheirPath = program(path.join(folder, "bin", "kernwright"), "");
  const found = async (changes: Partial<Places>): Promise<unknown> => {
    const server = await findServer(places(changes));
    return "missing" in server ? "missing" : [server.origin, server.program];
  };
  assert.deepEqual(await found({}), ["path", onTheirPath]);
  const privateServer = (): Promise<string> => Promise.resolve("/own/kernwright");
  assert.deepEqual(await found({ privateServer }), ["private", "/own/kernwright"]);
  const python = program(path.join(folder, "venv", "bin", "python"), "exit 1");
  const selectedPython = (): Promise<string> => Promise.resolve(python);
  assert.deepEqual(await found({ privateServer, selectedPython }), ["private", "/own/kernwright"]);
  program(python, "exit 0");
  assert.deepEqual(await found({ privateServer, selectedPython }), ["environment", python]);
  const beside = program(path.join(folder, "venv", "bin", "kernwright"), "");
  assert.deepEqual(await found({ privateServer, selectedPython }), ["environment", beside]);
});

test("an interpreter is asked in isolation, so that no file of the current folder is imported", async (context) => {
  const folder = ground(context);
  const heard = path.join(folder, "heard");
  const python = program(path.join(folder, "python"), `echo "$1" > ${heard}; exit 1`);
  await findServer(places({ selectedPython: () => Promise.resolve(python) }));
  assert.equal(readFileSync(heard, "utf8"), "-I\n");
});

test("a program beside the current folder is not on the PATH, although the PATH says so", async (context) => {
  const folder = ground(context);
  const before = process.cwd();
  process.chdir(folder);
  context.after(() => {
    process.chdir(before);
  });
  program(path.join(folder, "kernwright"), "");
  assert.equal(await onPath("kernwright"), undefined);
});

test("paths of settings are expanded", () => {
  process.env.KW_TEST = "/opt/kw";
  assert.equal(expanded("~/bin/kernwright", undefined), path.join(process.env.HOME ?? "", "bin/kernwright"));
  assert.equal(expanded("${workspaceFolder}/.venv/bin/kernwright", "/w"), "/w/.venv/bin/kernwright");
  assert.equal(expanded("${env:KW_TEST}/bin/../kernwright", "/w"), "/opt/kw/kernwright");
  assert.equal(expanded("tools/kernwright", "/w"), "/w/tools/kernwright");
});

/** A Python whose `-m venv` makes an environment, and whose `-m pip` is `pip`. */
function pretendPython(file: string, version: string, pip: string): string {
  const inner = `case "$*" in *"-m pip"*) ${pip} ;; esac`;
  return program(
    file,
    `case "$*" in
  *version_info*) echo ${version} ;;
  *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"
    printf '#!/bin/sh\\n%s\\n' '${inner}' > "$last/bin/python"; chmod +x "$last/bin/python" ;;
esac`,
  );
}

const INSTALLS = 'echo "$*" >> "$(dirname "$0")/../asked"; touch "$(dirname "$0")/kernwright"';

interface Stage {
  readonly environment: PrivateEnvironment;
  readonly making: Making;
  readonly steps: Step[];
  readonly storage: string;
  readonly wheels: string;
}

function stage(context: TestContext, version: string, pip: string): Stage {
  reset();
  const folder = ground(context);
  const wheels = path.join(folder, "wheels");
  const storage = path.join(folder, "storage");
  mkdirSync(wheels);
  writeFileSync(path.join(wheels, "kernwright-0.1.0-py3-none-any.whl"), "wheel");
  const python = pretendPython(path.join(folder, "bin", "python3.13"), version, pip);
  const steps: Step[] = [];
  const making: Making = {
    python,
    signal: new AbortController().signal,
    step: (step) => steps.push(step),
    log: () => undefined,
  };
  return { environment: new PrivateEnvironment(storage, wheels), making, steps, storage, wheels };
}

test("the environment is made once, from the packed wheel", async (context) => {
  const { environment, making, steps } = stage(context, "3 13", INSTALLS);
  assert.equal(await environment.server(), undefined);
  const server = await environment.make(making);
  assert.deepEqual(steps, ["python", "environment", "packages"]);
  assert.equal(await environment.server(), server);
  const asked = readFileSync(path.join(path.dirname(server), "..", "asked"), "utf8");
  assert.match(asked, /kernwright-0\.1\.0-py3-none-any\.whl/);
  assert.doesNotMatch(asked, /--no-index/);
  assert.equal(await environment.make(making), server);
  assert.equal(steps.length, 3, "it was not made again");
});

test("with all wheels packed nothing is fetched", async (context) => {
  const { environment, making, wheels } = stage(context, "3 11", INSTALLS);
  writeFileSync(path.join(wheels, "numpy-2.0-cp311.whl"), "");
  const server = await environment.make(making);
  assert.match(
    readFileSync(path.join(path.dirname(server), "..", "asked"), "utf8"),
    new RegExp(`--no-index --find-links ${wheels}`),
  );
});

test("another wheel gets another environment, and the old one goes", async (context) => {
  const { environment, making, wheels } = stage(context, "3 12", INSTALLS);
  const before = await environment.make(making);
  writeFileSync(path.join(wheels, "kernwright-0.1.0-py3-none-any.whl"), "another wheel");
  assert.equal(await environment.server(), undefined);
  const after = await environment.make(making);
  assert.notEqual(after, before);
  assert.equal(existsSync(before), false);
});

test("one that failed halfway is none, and is made anew", async (context) => {
  const failing = 'echo "ERROR: No space left on device" >&2; exit 1';
  const { environment, making, storage } = stage(context, "3 13", failing);
  await assert.rejects(environment.make(making), { problem: "disk-full" });
  assert.equal(await environment.server(), undefined);
  assert.equal(existsSync(path.join(storage, "being-made")), false, "the lock is left behind");
  pretendPython(making.python, "3 13", INSTALLS);
  assert.notEqual(await environment.make(making), undefined);
});

test("a lock of a process that is gone holds nobody up, and one that lives is waited for", async (context) => {
  const { environment, making, storage } = stage(context, "3 13", INSTALLS);
  mkdirSync(storage);
  const lock = path.join(storage, "being-made");
  writeFileSync(lock, "4194304999");
  await environment.make(making);
  rmSync(storage, { recursive: true });
  mkdirSync(storage);
  writeFileSync(lock, String(process.pid));
  const aborter = new AbortController();
  const waiting = environment.make({ ...making, signal: aborter.signal });
  aborter.abort();
  await assert.rejects(waiting, { problem: "cancelled" });
  assert.equal(existsSync(lock), true, "the lock was somebody else's");
});

test("a Python that is too old is named", async (context) => {
  const { environment, making } = stage(context, "3 9", INSTALLS);
  await assert.rejects(environment.make(making), (error: unknown) => {
    assert.ok(error instanceof InstallError);
    assert.equal(error.problem, "no-python");
    return true;
  });
});

test("a copy without a wheel says so", async (context) => {
  const { making, storage } = stage(context, "3 13", INSTALLS);
  const environment = new PrivateEnvironment(storage, path.join(storage, "none"));
  assert.equal(await environment.server(), undefined);
  await assert.rejects(environment.make(making), { problem: "no-wheel" });
});

for (const [output, problem] of [
  [
    "WARNING: Retrying ... Failed to establish a new connection: [Errno -3] Temporary failure in name resolution\nERROR: No matching distribution found for numpy",
    "offline",
  ],
  [
    "error: Failed to fetch: `simple/numpy/`\n  Caused by: client error (Connect)\n  dns error: failed to lookup address",
    "offline",
  ],
  [
    "ERROR: Could not find a version that satisfies islpy\nERROR: No matching distribution found for islpy>=2024.2",
    "no-build",
  ],
  ["The virtual environment was not created successfully because ensurepip is not\navailable.", "no-venv"],
  ["/usr/bin/python3: No module named venv", "no-venv"],
  ["OSError: [Errno 28] No space left on device", "disk-full"],
  ["error: No interpreter found for Python >=3.11 in managed installations or search path", "no-python"],
  ["ERROR: something else", "other"],
] as const satisfies readonly (readonly [string, InstallProblem])[]) {
  test(`what pip or uv says is understood: ${problem}`, () => {
    reset();
    const error = explained(output);
    assert.equal(error.problem, problem);
    assert.doesNotMatch(installWords(error), /\n/);
  });
}

test("what nobody understands is quoted in its last error", () => {
  reset();
  assert.equal(
    installWords(explained("hello\nERROR: something else\n")),
    "The server could not be installed: something else",
  );
});

test("a server and an extension of one release differ in the last number alone", () => {
  assert.equal(isSameRelease("0.1.0", "0.1.7"), true);
  assert.equal(isSameRelease("0.2.0", "0.1.0"), false);
  assert.equal(isSameRelease("1.1.0", "0.1.0"), false);
  assert.equal(isSameRelease("", "0.1.0"), true);
});
