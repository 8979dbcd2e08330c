/**
 * The page of the first run, as HTML without any script: what was found, what is missing, one kernel to try. What can
 * be pressed on it is a link to a command, out of the few that the panel lets through.
 */
import * as vscode from "vscode";
import type { KernelItem, KernelsResult, MachineResult } from "./protocol";

/** The commands that the page may run. */
export const PAGE_COMMANDS = [
  "kernwright.openKernel",
  "kernwright.profileKernel",
  "kernwright.optimizeKernel",
  "kernwright.searchKernels",
  "kernwright.openWalkthrough",
  "workbench.trust.manage",
] as const;

const MOST_LISTED = 12;

export interface Found {
  readonly kernels: KernelsResult;
  /** What the machine has; undefined where it was not looked at. */
  readonly machine: MachineResult | undefined;
  /** The kernel to try. */
  readonly kernel: KernelItem | undefined;
  readonly trusted: boolean;
}

/** `nonce` is the one of the page's style. */
export function firstRunPage(found: Found, nonce: string): string {
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="${escaped(vscode.env.language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>Kernwright</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<h1>Kernwright</h1>
${[...tryPart(found), ...machinePart(found.machine), ...kernelPart(found.kernels)].join("\n")}
</body>
</html>
`;
}

function tryPart({ kernel, trusted }: Found): string[] {
  if (kernel === undefined) {
    return [paragraph(escaped(vscode.l10n.t("No kernel was found here.")))];
  }
  const lines = [
    `<h2>${escaped(vscode.l10n.t("Try this one"))}</h2>`,
    paragraph(kernelLink(kernel)),
    trusted
      ? paragraph(
          button("kernwright.profileKernel", vscode.l10n.t("Profile"), kernel),
          button("kernwright.optimizeKernel", vscode.l10n.t("Optimize"), kernel),
        )
      : "",
    paragraph(
      escaped(
        trusted
          ? vscode.l10n.t("Nothing is compiled or run before you press one of these, here or above the kernel.")
          : vscode.l10n.t("This workspace is not trusted: kernels are read, and nothing is compiled or run."),
      ),
    ),
    trusted ? "" : paragraph(button("workbench.trust.manage", vscode.l10n.t("Manage Trust"))),
  ];
  if (kernel.contract === "none") {
    const words = vscode.l10n.t(
      "It has no contract yet, which says what it may be called with; one is inferred from its code, and you are asked for the rest.",
    );
    lines.push(paragraph(escaped(words)));
  }
  return lines.filter((line) => line !== "");
}

function machinePart(machine: MachineResult | undefined): string[] {
  if (machine === undefined || machine.parts.length === 0) {
    return [];
  }
  const has = machine.parts.filter((part) => part.found);
  const lacks = machine.parts.filter((part) => !part.found && part.remedy !== "");
  const row = (...cells: string[]): string => `<tr>${cells.join("")}</tr>`;
  const name = (words: string): string => `<th scope="row">${escaped(words)}</th>`;
  const cell = (words: string): string => `<td>${escaped(words)}</td>`;
  return [
    `<h2>${escaped(vscode.l10n.t("This machine has"))}</h2>`,
    `<table>${has.map((part) => row(name(part.name), cell(part.version), cell(part.adds))).join("")}</table>`,
    ...(lacks.length > 0
      ? [
          `<h2>${escaped(vscode.l10n.t("It could also have"))}</h2>`,
          `<table>${lacks.map((part) => row(name(part.name), cell(part.adds), cell(part.remedy))).join("")}</table>`,
        ]
      : []),
  ];
}

function kernelPart({ kernels, left_out: leftOut }: KernelsResult): string[] {
  const lines = [
    `<h2>${escaped(vscode.l10n.t("Kernels here"))}</h2>`,
    `<ul>${kernels
      .slice(0, MOST_LISTED)
      .map((kernel) => `<li>${kernelLink(kernel)}</li>`)
      .join("")}</ul>`,
  ];
  if (kernels.length > MOST_LISTED) {
    const words = vscode.l10n.t("{0} more are in the Kernels view.", kernels.length - MOST_LISTED);
    lines.push(paragraph(escaped(words)));
  }
  if (leftOut > 0) {
    const words = vscode.l10n.t("{0} files were not read: there are too many, or they are too long.", leftOut);
    lines.push(paragraph(escaped(words)));
  }
  lines.push(paragraph(button("kernwright.openWalkthrough", vscode.l10n.t("Open Walkthrough"))));
  return kernels.length === 0 ? [] : lines;
}

function kernelLink(kernel: KernelItem): string {
  const place = `${vscode.workspace.asRelativePath(vscode.Uri.parse(kernel.uri))}:${kernel.line + 1}`;
  return `<a href="${href("kernwright.openKernel", kernel)}">${escaped(kernel.name)}</a> ${escaped(place)}`;
}

function button(command: (typeof PAGE_COMMANDS)[number], words: string, kernel?: KernelItem): string {
  return `<a class="button" href="${href(command, kernel)}">${escaped(words)}</a>`;
}

/** A link to a command; of a kernel it takes along what names it. */
function href(command: string, kernel?: KernelItem): string {
  const named = kernel && { uri: kernel.uri, signature: kernel.signature, line: kernel.line };
  const query = named === undefined ? "" : `?${encodeURIComponent(JSON.stringify([named]))}`;
  return escaped(`command:${command}${query}`);
}

function paragraph(...parts: string[]): string {
  return `<p>${parts.join(" ")}</p>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A text that stands for itself in HTML, in attributes too. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

const STYLE = `
body { max-width: 60em; padding: 0 2em 2em; line-height: 1.5; }
h1 { font-weight: 400; }
h2 { font-weight: 400; margin-top: 1.8em; }
a { color: var(--vscode-textLink-foreground); }
a:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: 2px; }
table { border-collapse: collapse; }
th { text-align: start; font-weight: 600; white-space: nowrap; }
th, td { padding: 0.25em 1.2em 0.25em 0; vertical-align: top; border-bottom: 1px solid var(--vscode-widget-border, transparent); }
.button { display: inline-block; padding: 0.3em 1em; margin-inline-end: 0.5em; border-radius: 2px;
  text-decoration: none; color: var(--vscode-button-foreground); background: var(--vscode-button-background);
  border: 1px solid var(--vscode-contrastBorder, transparent); }
.button:hover { background: var(--vscode-button-hoverBackground); }
`;
