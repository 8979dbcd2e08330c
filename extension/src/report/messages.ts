/** What the report's page and the host say to each other. Both sides import this, and nothing else of each other. */
import type { ReportResult } from "../protocol";
import type { ReportWords } from "./words";

/** What the host tells the page. */
export type ToPage =
  | { readonly type: "report"; readonly report: ReportResult; readonly words: ReportWords; readonly locale: string }
  | { readonly type: "job"; readonly text: string }
  | { readonly type: "problem"; readonly text: string };

/** What the page asks of the host. `html` is the page's content without what can be pressed. */
export type FromPage =
  | { readonly type: "ready" }
  | { readonly type: "open"; readonly line: number }
  | { readonly type: "run"; readonly command: "profile" | "optimize" }
  | { readonly type: "preview"; readonly offer: string }
  | { readonly type: "export"; readonly html: string };

/** A message of the page's, if it is one: whatever else comes from a webview is left aside. */
export function fromPage(value: unknown): FromPage | undefined {
  if (typeof value !== "object" || value === null) {
    return undefined;
  }
  const said = value as Record<string, unknown>;
  switch (said.type) {
    case "ready":
      return { type: "ready" };
    case "open":
      return isLine(said.line) ? { type: "open", line: said.line } : undefined;
    case "run":
      return said.command === "profile" || said.command === "optimize"
        ? { type: "run", command: said.command }
        : undefined;
    case "preview":
      return typeof said.offer === "string" ? { type: "preview", offer: said.offer } : undefined;
    case "export":
      return typeof said.html === "string" ? { type: "export", html: said.html } : undefined;
    default:
      return undefined;
  }
}

function isLine(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}
