// The texts that the sources show to people: every first argument of `l10n.t`.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import ts from "typescript";

/** The texts of all sources below a folder, each with the file that says it. A text that is no literal throws. */
export function stringsOf(folder) {
  const found = new Map();
  for (const name of readdirSync(folder, { recursive: true })) {
    if (!name.endsWith(".ts") || name.endsWith(".test.ts") || name.endsWith(".d.ts")) {
      continue;
    }
    const file = path.join(folder, name);
    const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
    // A file with many texts may give the function a short name.
    const short = /\bconst (\w+) = vscode\.l10n\.t;/.exec(source.text)?.[1];
    const visit = (node) => {
      const called = ts.isCallExpression(node) ? node.expression.getText(source) : "";
      if (called === short || /(?:^|\.)l10n\.t$/.test(called)) {
        const [first] = node.arguments;
        if (first === undefined || !ts.isStringLiteralLike(first)) {
          const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
          throw new Error(`${file}:${line + 1}: l10n.t takes a text that can be read off the source`);
        }
        found.set(first.text, name);
      }
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}
