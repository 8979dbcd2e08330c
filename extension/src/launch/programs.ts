/** Running small programs to the end, and finding programs on the PATH. Never through a shell. */
import { execFile } from "node:child_process";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import path from "node:path";

/** What a program came to. `output` is standard output and standard error, one after the other. */
export interface Outcome {
  readonly ok: boolean;
  readonly stdout: string;
  readonly output: string;
}

export interface RunOptions {
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  readonly environment?: Record<string, string>;
}

const MOST_BYTES = 16 * 1024 * 1024;

/** Run a program without input. A program that cannot be started is an outcome that is not ok. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = execFile(
      program,
      args,
      {
        encoding: "utf8",
        timeout: (options.seconds ?? 20) * 1000,
        maxBuffer: MOST_BYTES,
        windowsHide: true,
        env: { ...process.env, ...options.environment },
        ...(options.signal === undefined ? {} : { signal: options.signal }),
        ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      },
      (error, stdout, stderr) => {
        const words = error !== null && stdout === "" && stderr === "" ? error.message : "";
        resolve({ ok: error === null, stdout, output: `${stdout}${stderr}${words}` });
      },
    );
    child.stdin?.end();
  });
}

/**
 * Where a program lies on the PATH. Relative entries are left aside: what they name depends on the folder that happens
 * to be the current one, and may be anybody's file.
 */
export async function onPath(name: string): Promise<string | undefined> {
  const endings = process.platform === "win32" ? [".exe", ".cmd", ".bat"] : [""];
  for (const folder of (process.env.PATH ?? "").split(path.delimiter)) {
    if (!path.isAbsolute(folder)) {
      continue;
    }
    for (const ending of endings) {
      const file = path.join(folder, name + ending);
      if (await isProgram(file)) {
        return file;
      }
    }
  }
  return undefined;
}

export async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
