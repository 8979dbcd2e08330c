/** A text with the edits of a rewrite made in it. */
import type { TextEdit, WorkspaceEdit } from "vscode-languageclient/node";

/** Columns count UTF-16 units, as those of the protocol do here. Edits do not overlap. */
export function withEdits(text: string, edits: readonly TextEdit[]): string {
  const starts = lineStarts(text);
  const offset = ({ line, character }: { line: number; character: number }): number => {
    const start = starts[line];
    return start === undefined ? text.length : Math.min(start + character, starts[line + 1] ?? text.length);
  };
  let result = text;
  const placed = edits
    .map((edit, order) => ({ start: offset(edit.range.start), end: offset(edit.range.end), text: edit.newText, order }))
    // Of insertions at one place the first listed comes first, so it is made last.
    .sort((one, other) => other.start - one.start || other.end - one.end || other.order - one.order);
  for (const edit of placed) {
    result = result.slice(0, edit.start) + edit.text + result.slice(edit.end);
  }
  return result;
}

/** A line ends at `\n`, `\r\n` or `\r`, as in the protocol. */
function lineStarts(text: string): number[] {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n|\n|\r/g)) {
    starts.push(index + end.length);
  }
  return starts;
}

/** The text edits that a workspace edit has for one document; undefined where it does anything else as well. */
export function editsOf(edit: WorkspaceEdit, isDocument: (uri: string) => boolean): TextEdit[] | undefined {
  if (edit.documentChanges === undefined) {
    const entries = Object.entries(edit.changes ?? {});
    return entries.every(([uri]) => isDocument(uri)) ? entries.flatMap(([, edits]) => edits) : undefined;
  }
  const found: TextEdit[] = [];
  for (const change of edit.documentChanges) {
    if (!("textDocument" in change) || !isDocument(change.textDocument.uri)) {
      return undefined;
    }
    for (const one of change.edits) {
      if (!("newText" in one)) {
        return undefined;
      }
      found.push(one);
    }
  }
  return found;
}

/** The same edit without annotations: what they ask to be confirmed has been confirmed. */
export function confirmed(edit: WorkspaceEdit): WorkspaceEdit {
  const { documentChanges, changes } = edit;
  if (documentChanges === undefined) {
    return changes === undefined ? {} : { changes };
  }
  return {
    documentChanges: documentChanges.map((change) =>
      "textDocument" in change
        ? {
            textDocument: change.textDocument,
            edits: change.edits.map((one) => ("newText" in one ? { range: one.range, newText: one.newText } : one)),
          }
        : change,
    ),
  };
}
