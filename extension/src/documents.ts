/**
 * Which documents the server is told of: those of kernel languages, and Python files that hold Triton kernels. Of any
 * other Python file it hears nothing, so that this extension stays out of the way there.
 */
import type { TextDocument } from "vscode";
import type { TextDocumentFilter } from "vscode-languageclient/node";

export const KERNEL_LANGUAGES = ["c", "cpp", "cuda-cpp", "opencl", "ascend-c"] as const;

export const SELECTOR: TextDocumentFilter[] = [
  ...KERNEL_LANGUAGES.map((language) => ({ scheme: "file", language })),
  { scheme: "file", pattern: "**/*.{cce,asc}" },
  { scheme: "file", language: "python" },
];

/** How much of a Python file is looked at: kernels further down are found when the file is opened the next time. */
const LOOKED_AT = 200_000;
const TRITON = /^\s*@(?:triton\.)?(?:jit|autotune|heuristics)\b/m;
const IMPORTS_TRITON = /^\s*(?:import|from)\s+triton\b/m;

/** Whether a Python text holds Triton kernels. */
export function holdsTriton(text: string): boolean {
  const head = text.length > LOOKED_AT ? text.slice(0, LOOKED_AT) : text;
  return IMPORTS_TRITON.test(head) && TRITON.test(head);
}

/** Whether a language is one whose files may hold kernels without a look at their text. */
export function isKernelLanguage(languageId: string): boolean {
  return (KERNEL_LANGUAGES as readonly string[]).includes(languageId);
}

/** Remembers which Python documents are served, since that must not change while the server has one open. */
export class ServedDocuments {
  private readonly served = new Set<string>();

  /** Decides for a document that is being opened. */
  open(document: TextDocument): boolean {
    if (document.languageId !== "python") {
      return true;
    }
    const holds = holdsTriton(document.getText());
    if (holds) {
      this.served.add(document.uri.toString());
    }
    return holds;
  }

  /** Whether the server has the document, or would have it. */
  has(document: TextDocument): boolean {
    return document.languageId !== "python" || this.served.has(document.uri.toString());
  }

  /** Whether the server had it, which is forgotten. */
  close(document: TextDocument): boolean {
    return document.languageId !== "python" || this.served.delete(document.uri.toString());
  }

  clear(): void {
    this.served.clear();
  }
}
