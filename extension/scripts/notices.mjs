// Writes NOTICES.md: the licences of all packages that the bundles hold. With `--check` it only says whether the file
// is up to date. What is bundled is what esbuild says it read.
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { extension } from "./paths.mjs";
import { run } from "./run.mjs";

const inputs = path.join(extension, "dist", "inputs.json");
if (!existsSync(inputs)) {
  run(process.execPath, ["esbuild.mjs", "--meta"]);
}

/** `node_modules/a/node_modules/@b/c/lib/x.js` belongs to `node_modules/a/node_modules/@b/c`. */
function folderOf(file) {
  return /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

function noticeOf(folder) {
  const at = path.join(extension, folder);
  const { name, version, license, author, homepage } = JSON.parse(readFileSync(path.join(at, "package.json"), "utf8"));
  const file = readdirSync(at).find((one) => /^licen[cs]e/i.test(one));
  if (!license && !file) {
    throw new Error(`${name}: no licence is stated; it must not be bundled`);
  }
  const by = typeof author === "string" ? author : author?.name;
  const text = file ? readFileSync(path.join(at, file), "utf8").trim().replace(/\r\n/g, "\n") : `Author: ${by ?? name}`;
  return { name, version, license: license ?? "see below", homepage, text };
}

const folders = new Set(JSON.parse(readFileSync(inputs, "utf8")).map(folderOf).filter(Boolean));
const notices = [...folders].map(noticeOf).sort((one, other) => one.name.localeCompare(other.name, "en"));
const written = [
  "# Notices",
  "",
  "The extension's bundles hold the packages below. This file is made by `npm run notices`.",
  "",
  ...notices.map(({ name, version, license }) => `- ${name} ${version}: ${license}`),
  "",
  ...notices.flatMap(({ name, version, license, text }) => [
    `## ${name} ${version} (${license})`,
    "",
    "```text",
    text,
    "```",
    "",
  ]),
].join("\n");

const file = path.join(extension, "NOTICES.md");
if (!process.argv.includes("--check")) {
  writeFileSync(file, written);
  console.log(`NOTICES.md: ${notices.length} packages`);
} else if (!existsSync(file) || readFileSync(file, "utf8") !== written) {
  console.error("NOTICES.md is not up to date; run: npm run notices");
  process.exit(1);
}
