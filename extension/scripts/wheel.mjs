// Builds the wheel of the server into wheels/. With `--offline` also everything that it depends on, for this platform
// and the Python versions that are named in OFFLINE_PYTHONS.
import { readdirSync, rmSync, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { repository, wheels } from "./paths.mjs";
import { python, run } from "./run.mjs";

/** The Python versions that an offline package serves. */
export const OFFLINE_PYTHONS = ["3.11", "3.12", "3.13"];

rmSync(wheels, { recursive: true, force: true });
mkdirSync(wheels, { recursive: true });
// A build in an isolated environment would fetch the build's own requirements anew each time.
run(python(), ["-m", "hatchling", "build", "-t", "wheel", "-d", wheels], { cwd: repository });
const [wheel] = readdirSync(wheels);

if (process.argv.includes("--offline")) {
  for (const version of OFFLINE_PYTHONS) {
    run(python(), [
      "-m",
      "pip",
      "download",
      "--quiet",
      "--disable-pip-version-check",
      "--only-binary=:all:",
      "--python-version",
      version,
      "--implementation",
      "cp",
      "--dest",
      wheels,
      path.join(wheels, wheel),
    ]);
  }
}

for (const name of readdirSync(wheels).sort()) {
  console.log(`${String(Math.ceil(statSync(path.join(wheels, name)).size / 1024)).padStart(7)} kB  ${name}`);
}
