// Bundles the extension: the host's side, and the page of the report, which runs in a webview.
// `--development` leaves names readable and adds source maps; `--meta` also writes what each bundle is made of.
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import esbuild from "esbuild";

const top = path.dirname(fileURLToPath(import.meta.url));
const development = process.argv.includes("--development");
const PAGE = "src/report/webview/main.ts";

/** @type {import("esbuild").BuildOptions} */
const common = {
  absWorkingDir: top,
  bundle: true,
  minify: !development,
  sourcemap: development ? "linked" : false,
  legalComments: "none",
  metafile: true,
  logLevel: "warning",
  outdir: "dist",
};

/** @type {import("esbuild").BuildOptions} */
const host = {
  ...common,
  entryPoints: { main: "src/main.ts" },
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  // Loading the bundle is part of what activation takes; what the editor does between that and `activate` is not.
  banner: { js: "const loadedAt = performance.now();" },
  footer: { js: "const loadingMs = performance.now() - loadedAt;" },
};

/** @type {import("esbuild").BuildOptions} */
const page = {
  ...common,
  entryPoints: { report: PAGE },
  platform: "browser",
  format: "iife",
  target: "chrome120",
};

const results = [await esbuild.build(host)];
if (existsSync(path.join(top, PAGE))) {
  results.push(await esbuild.build(page));
}

const inputs = {};
for (const { metafile } of results) {
  for (const [name, { bytes }] of Object.entries(metafile.outputs)) {
    console.log(`${name}  ${Math.ceil(bytes / 1024)} kB`);
  }
  Object.assign(inputs, metafile.inputs);
}
if (process.argv.includes("--meta")) {
  mkdirSync(path.join(top, "dist"), { recursive: true });
  writeFileSync(path.join(top, "dist", "inputs.json"), JSON.stringify(Object.keys(inputs).sort()));
}
