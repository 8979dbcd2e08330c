/** The kernel's lines with what is known of each. */
import type { HeatItem, ReportResult } from "../protocol";

export interface HeatLine {
  /** From 0, in the document. */
  readonly line: number;
  readonly text: string;
  readonly share: number | null;
  readonly ns: number | null;
  readonly notes: readonly HeatItem[];
  readonly stale: boolean;
}

/** Every line of the kernel's own text; lines of its contract have nothing that could be known of them. */
export function heatLines({ first, name_line: nameLine, lines, heat }: ReportResult): HeatLine[] {
  return lines
    .map((text, at) => {
      const line = first + at;
      const notes = heat.filter((one) => one.line === line);
      const cost = notes.find(({ share }) => share !== null);
      return {
        line,
        text,
        share: cost?.share ?? null,
        ns: cost?.ns ?? null,
        notes,
        stale: notes.some(({ stale }) => stale),
      };
    })
    .filter(({ line }) => line >= nameLine);
}
