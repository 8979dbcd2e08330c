// Bundles the tests with a thin fake of the editor's API in place of `vscode`, and runs them. Words after `--` go to
// `node --test`, such as `--test-name-pattern=…`.
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import esbuild from "esbuild";
import { extension } from "./paths.mjs";
import { run } from "./run.mjs";

const built = path.join(extension, "dist", "test");
rmSync(built, { recursive: true, force: true });
mkdirSync(built, { recursive: true });

const entryPoints = ["test", "src"]
  .filter((folder) => existsSync(path.join(extension, folder)))
  .flatMap((folder) =>
    readdirSync(path.join(extension, folder), { recursive: true }).map((name) => `${folder}/${name}`),
  )
  .filter((name) => name.endsWith(".test.ts"));

await esbuild.build({
  absWorkingDir: extension,
  entryPoints,
  bundle: true,
  platform: "node",
  format: "cjs",
  target: "node20",
  outdir: built,
  outbase: ".",
  sourcemap: "inline",
  alias: { vscode: "./test/fake/vscode.ts" },
  external: ["jsdom", "typescript", "esbuild"],
  loader: { ".css": "empty" },
  logLevel: "warning",
});

const files = entryPoints.map((name) => path.join(built, name.replace(/\.ts$/, ".js")));
run(process.execPath, [
  "--enable-source-maps",
  "--test",
  ...process.argv.slice(2).filter((word) => word !== "--"),
  ...files,
]);
