/** The output channel: what the extension says, and what the server says on its standard error. */
import * as vscode from "vscode";
import type { Readable } from "node:stream";
import { createInterface } from "node:readline";

export function createLog(): vscode.LogOutputChannel {
  return vscode.window.createOutputChannel("Kernwright", { log: true });
}

/**
 * Standard error of the server is its log, not a list of errors: the lines go where a log goes, without the time that
 * the channel puts in front of each line anyway.
 */
export function logLines(stream: Readable, log: vscode.LogOutputChannel): void {
  const lines = createInterface({ input: stream, crlfDelay: Infinity });
  lines.on("line", (line) => {
    log.info(withoutTime(line));
  });
}

/** `12:34:56 words` without its time. */
export function withoutTime(line: string): string {
  return line.replace(/^\d\d:\d\d:\d\d /, "");
}

/** An error in one line. */
export function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n", 1)[0] ?? message;
}
