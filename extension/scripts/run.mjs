// Running programs from scripts: output is shown, and a failure ends the script with the program's status.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { extension, repository } from "./paths.mjs";

export function run(program, args, options = {}) {
  const { status, error } = spawnSync(program, args, { cwd: extension, stdio: "inherit", ...options });
  if (error) {
    console.error(`${program}: ${error.message}`);
  }
  if (status !== 0) {
    process.exit(status ?? 1);
  }
}

/** The Python of the repository's own environment where there is one, and else the machine's. */
export function python() {
  const own = path.join(repository, ".venv", process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  return existsSync(own) ? own : "python3";
}
