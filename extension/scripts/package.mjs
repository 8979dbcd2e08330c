// Makes the VSIX. `--offline` packs every wheel that the server needs on this platform, so that nothing is fetched.
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { extension, repository } from "./paths.mjs";
import { run } from "./run.mjs";

/** A package for every platform has to stay below this. */
const LIMIT_BYTES = 8 * 1024 * 1024;

const offline = process.argv.includes("--offline");
const { version } = createRequire(import.meta.url)("../package.json");
const target = `${process.platform}-${process.arch}`;
const name = offline ? `kernwright-${version}-${target}-offline.vsix` : `kernwright-${version}.vsix`;
const output = path.join(extension, "dist", name);

await alone();
copyFileSync(path.join(repository, "LICENSE"), path.join(extension, "LICENSE.txt"));
copyFileSync(path.join(repository, "CHANGELOG.md"), path.join(extension, "CHANGELOG.md"));
run(process.execPath, ["esbuild.mjs", "--meta"]);
run(process.execPath, ["scripts/notices.mjs", "--check"]);
run(process.execPath, ["scripts/wheel.mjs", ...(offline ? ["--offline"] : [])]);
run(process.execPath, [
  path.join("node_modules", "@vscode", "vsce", "vsce"),
  "package",
  "--no-dependencies",
  "--allow-missing-repository",
  "--no-rewrite-relative-links",
  ...(offline ? ["--target", target] : []),
  "--out",
  output,
]);

const { size } = statSync(output);
console.log(`${path.relative(repository, output)}: ${(size / 1024 / 1024).toFixed(2)} MB`);
if (!offline && size > LIMIT_BYTES) {
  console.error(`${name}: over ${LIMIT_BYTES / 1024 / 1024} MB; see what went in with: unzip -l ${output}`);
  process.exit(1);
}

/** Wait for another packing in this folder, which would change the wheels below our feet. It is let go at the exit. */
async function alone() {
  const lock = path.join(extension, "dist", "packing");
  mkdirSync(path.dirname(lock), { recursive: true });
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
      process.on("exit", () => rmSync(lock, { force: true }));
      return;
    } catch {
      if (!lives(lock)) {
        rmSync(lock, { force: true });
      } else {
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
  }
}

function lives(lock) {
  try {
    process.kill(Number(readFileSync(lock, "utf8")), 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
