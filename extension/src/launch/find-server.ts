/** Which server is started, and why that one: a setting, the selected Python environment, the PATH, or our own. */
import path from "node:path";
import { isProgram, onPath, run } from "./programs";
import type { LaunchSettings } from "../config";

export type Origin = "setting" | "environment" | "path" | "private";

/** A program and the arguments that precede those of `kernwright` itself. */
export interface ServerCommand {
  readonly program: string;
  readonly prefix: readonly string[];
  readonly origin: Origin;
}

export interface NoServer {
  readonly missing: true;
  /** A line for people, when a server was named and is not there. */
  readonly why?: string;
}

/** What the search looks at. All of it is handed in, so that nothing is started that a caller does not allow. */
export interface Places {
  readonly settings: LaunchSettings;
  /** The first folder, for which `${workspaceFolder}` stands. */
  readonly folder: string | undefined;
  /** The interpreter that the user selected. Undefined in an untrusted workspace, where it must not be started. */
  readonly selectedPython: () => Promise<string | undefined>;
  /** The private environment's server, where that is complete and of this version. */
  readonly privateServer: () => Promise<string | undefined>;
}

export async function findServer(places: Places): Promise<ServerCommand | NoServer> {
  const { path: named } = places.settings;
  if (named !== "") {
    const program = expanded(named, places.folder);
    return (await isProgram(program)) ? { program, prefix: [], origin: "setting" } : { missing: true, why: program };
  }
  const python = await places.selectedPython();
  const ofEnvironment = python === undefined ? undefined : await serverOf(python);
  if (ofEnvironment !== undefined) {
    return ofEnvironment;
  }
  // Our own is of the version that this extension was made with; one on the PATH may be of any.
  const own = await places.privateServer();
  if (own !== undefined) {
    return { program: own, prefix: [], origin: "private" };
  }
  const found = await onPath("kernwright");
  return found === undefined ? { missing: true } : { program: found, prefix: [], origin: "path" };
}

/**
 * The server of a Python environment, if it is installed there. `-I` keeps the interpreter from importing what lies in
 * the current folder or is named by the environment's variables.
 */
async function serverOf(python: string): Promise<ServerCommand | undefined> {
  const beside = path.join(
    path.dirname(python),
    process.platform === "win32" ? "Scripts/kernwright.exe" : "kernwright",
  );
  if (await isProgram(beside)) {
    return { program: beside, prefix: [], origin: "environment" };
  }
  const { ok } = await run(python, ["-I", "-c", "import importlib.metadata as m; m.version('kernwright')"]);
  const start = "from kernwright.cli import main; main()";
  return ok ? { program: python, prefix: ["-I", "-c", start], origin: "environment" } : undefined;
}

/** A path of a setting: `~`, `${userHome}`, `${workspaceFolder}` and `${env:NAME}` stand for what they do elsewhere. */
export function expanded(value: string, folder: string | undefined): string {
  const home = process.env.HOME ?? process.env.USERPROFILE ?? "";
  const written = value
    .replace(/^~(?=[\\/]|$)/, home)
    .replaceAll("${userHome}", home)
    .replaceAll("${workspaceFolder}", folder ?? "")
    .replace(/\$\{env:(\w+)\}/g, (_, name: string) => process.env[name] ?? "");
  return path.isAbsolute(written) || folder === undefined ? path.normalize(written) : path.resolve(folder, written);
}
