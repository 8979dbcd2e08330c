/** The two HTML files of a report: the page that the webview shows, and the file that is exported. */
import { createHash, randomBytes } from "node:crypto";

/** Addresses that the webview may load, and the source that its policy names. */
export interface PageAddresses {
  readonly script: string;
  readonly style: string;
  readonly cspSource: string;
}

export function newNonce(): string {
  return randomBytes(18).toString("base64url");
}

/** The webview's page: empty until the host has told it a report. Nothing is loaded but our own script and style. */
export function pageHtml({ script, style, cspSource }: PageAddresses, nonce: string, language: string): string {
  const policy = [
    "default-src 'none'",
    `style-src ${cspSource}`,
    `script-src 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${escaped(style)}">
<title>Kernwright</title>
</head>
<body>
<main id="kw-report" data-state="loading" aria-busy="true"></main>
<script nonce="${nonce}" src="${escaped(script)}"></script>
</body>
</html>
`;
}

/**
 * One file that holds everything: no script, no address of another file. Its policy lets the one style in, so that a
 * browser runs nothing, whatever a kernel's text may hold.
 */
export function exportedHtml(content: string, style: string, title: string, language: string): string {
  // The end tag of the style must not stand in it, and the hash is of what stands between the tags.
  const rules = `\n${style.replace(/<\/style/gi, "<\\/style")}\n`;
  const hash = createHash("sha256").update(rules).digest("base64");
  return `<!DOCTYPE html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${rules}</style>
</head>
<body class="kw-exported">
<main id="kw-report" data-state="exported">${content}</main>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
