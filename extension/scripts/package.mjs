// Makes the VSIX. `--offline` packs every wheel that the server needs on this platform, so that nothing is fetched.
import { copyFileSync, statSync } from "node:fs";
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

copyFileSync(path.join(repository, "LICENSE"), path.join(extension, "LICENSE.txt"));
copyFileSync(path.join(repository, "CHANGELOG.md"), path.join(extension, "CHANGELOG.md"));
run(process.execPath, ["esbuild.mjs", "--meta"]);
run(process.execPath, ["scripts/notices.mjs", "--check"]);
run(process.execPath, ["scripts/wheel.mjs", ...(offline ? ["--offline"] : [])]);
run(process.execPath, [
  path.join("node_modules", "@vscode", "vsce", "vsce"), "package", "--no-dependencies", "--allow-missing-repository",
  ...(offline ? ["--target", target] : []), "--out", output,
]);

const { size } = statSync(output);
console.log(`${path.relative(repository, output)}: ${(size / 1024 / 1024).toFixed(2)} MB`);
if (!offline && size > LIMIT_BYTES) {
  console.error(`${name}: over ${LIMIT_BYTES / 1024 / 1024} MB; see what went in with: unzip -l ${output}`);
  process.exit(1);
}
