/**
 * The private environment: a Python environment of the extension's own, with the server that is packed beside it.
 *
 * It is a folder for each wheel, complete when it holds the file `ready`, which is written last. Making it is the only
 * thing here that reaches out to a package index, and nothing here runs anything of a workspace.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { onPath, run } from "./programs";
import { InstallError, explained } from "./install-error";

const READY = "ready";
const LOCK = "being-made";
const PREFIX = "server-";
/** Newest first, since those are the ones with the longest life ahead. */
const PYTHONS = ["python3.13", "python3.12", "python3.11", "python3.14", "python3", "python"];
const OLDEST_PYTHON = [3, 11] as const;
const INSTALL_SECONDS = 900;
/** A lock that is older than this belongs to nobody. */
const LOCK_MS = INSTALL_SECONDS * 1000;

export type Step = "python" | "environment" | "packages";

export interface Making {
  /** An interpreter that the user named; empty to look for one. */
  readonly python: string;
  readonly signal: AbortSignal;
  readonly step: (step: Step) => void;
  readonly log: (line: string) => void;
}

export class PrivateEnvironment {
  /** `storage` is the extension's global storage, `wheels` the folder of packed wheels. */
  constructor(
    private readonly storage: string,
    private readonly wheels: string,
  ) {}

  /** The server's program, where the environment is complete and of the packed wheel. */
  async server(): Promise<string | undefined> {
    const folder = await this.folder();
    if (folder === undefined || !existsSync(path.join(folder, READY))) {
      return undefined;
    }
    const program = programIn(folder, "kernwright");
    return existsSync(program) ? program : undefined;
  }

  /** Make it, or wait for another window that does. Gives the server's program; throws `InstallError`. */
  async make(making: Making): Promise<string> {
    const folder = await this.folder();
    if (folder === undefined) {
      throw new InstallError("no-wheel");
    }
    await mkdir(this.storage, { recursive: true });
    const lock = path.join(this.storage, LOCK);
    while (!(await taken(lock))) {
      if (making.signal.aborted) {
        throw new InstallError("cancelled");
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
    try {
      const ready = await this.server();
      if (ready !== undefined) {
        return ready;
      }
      await rm(folder, { recursive: true, force: true });
      await this.fill(folder, making).catch(async (error: unknown) => {
        await rm(folder, { recursive: true, force: true });
        throw error;
      });
      await writeFile(path.join(folder, READY), "");
      await this.removeOthers(folder);
      return programIn(folder, "kernwright");
    } finally {
      await rm(lock, { force: true });
    }
  }

  private async fill(folder: string, making: Making): Promise<void> {
    const [wheel, offline] = await this.packed();
    making.step("python");
    const uv = making.python === "" ? await onPath("uv") : undefined;
    const python = uv === undefined ? await interpreter(making.python) : ">=3.11";
    const source = offline ? ["--no-index", "--find-links", this.wheels] : [];
    making.step("environment");
    if (uv !== undefined) {
      await must(uv, ["venv", "--quiet", "--python", python, folder], making);
      making.step("packages");
      await must(uv, ["pip", "install", "--quiet", "--python", programIn(folder, "python"), ...source, wheel], making);
    } else {
      await must(python, ["-I", "-m", "venv", folder], making);
      making.step("packages");
      const pip = [
        "-I",
        "-m",
        "pip",
        "install",
        "--disable-pip-version-check",
        "--no-input",
        "--retries",
        "1",
        "--progress-bar",
        "off",
      ];
      await must(programIn(folder, "python"), [...pip, "--only-binary=:all:", ...source, wheel], making);
    }
  }

  /** The packed wheel, and whether everything that it needs is packed with it. */
  private async packed(): Promise<readonly [string, boolean]> {
    const names = existsSync(this.wheels) ? await readdir(this.wheels) : [];
    const own = names.find((name) => name.startsWith("kernwright-") && name.endsWith(".whl"));
    if (own === undefined) {
      throw new InstallError("no-wheel");
    }
    return [path.join(this.wheels, own), names.length > 1];
  }

  private async folder(): Promise<string | undefined> {
    try {
      const [wheel] = await this.packed();
      const hash = createHash("sha256")
        .update(await readFile(wheel))
        .digest("hex");
      return path.join(this.storage, PREFIX + hash.slice(0, 12));
    } catch (error) {
      if (error instanceof InstallError) {
        return undefined;
      }
      throw error;
    }
  }

  /** Environments of earlier versions. One that another window still runs from stays until the next time. */
  private async removeOthers(folder: string): Promise<void> {
    for (const name of await readdir(this.storage)) {
      const other = path.join(this.storage, name);
      if (name.startsWith(PREFIX) && other !== folder) {
        await rm(other, { recursive: true, force: true }).catch(() => undefined);
      }
    }
  }
}

/** Take the lock; false while somebody else holds it. */
async function taken(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: "wx" });
    return true;
  } catch {
    try {
      const holder = Number(await readFile(lock, "utf8"));
      const old = Date.now() - (await stat(lock)).mtimeMs > LOCK_MS;
      if (old || !lives(holder)) {
        await rm(lock, { force: true });
      }
    } catch {
      // It went away between the two looks at it.
    }
    return false;
  }
}

function lives(process_: number): boolean {
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** An interpreter that is new enough: the named one, or the first on the PATH. */
async function interpreter(named: string): Promise<string> {
  const candidates = named === "" ? await Promise.all(PYTHONS.map(onPath)) : [named];
  let old = "";
  for (const python of candidates) {
    if (python === undefined) {
      continue;
    }
    const { ok, stdout } = await run(python, ["-I", "-c", "import sys; print(*sys.version_info[:2])"]);
    const [major = 0, minor = 0] = stdout.trim().split(" ").map(Number);
    if (ok && major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1]) {
      return python;
    }
    if (ok && old === "") {
      old = `${python}: ${major}.${minor}`;
    }
  }
  throw new InstallError("no-python", named === "" ? old : named);
}

async function must(program: string, args: readonly string[], making: Making): Promise<void> {
  making.log([program, ...args].join(" "));
  const { ok, output } = await run(program, args, { seconds: INSTALL_SECONDS, signal: making.signal });
  for (const line of output.split("\n")) {
    if (line.trim() !== "") {
      making.log(line.trimEnd());
    }
  }
  if (!ok) {
    throw making.signal.aborted ? new InstallError("cancelled") : explained(output);
  }
}

function programIn(environment: string, name: string): string {
  return process.platform === "win32"
    ? path.join(environment, "Scripts", `${name}.exe`)
    : path.join(environment, "bin", name);
}
