/** Every figure with how it was had, and when. */
import type { EvidenceItem, ReportResult } from "../../protocol";
import type { ReportWords } from "../words";
import { element, row, section, table, unbroken } from "./dom";
import { moment } from "./format";

export function evidenceSection({ evidence }: ReportResult, words: ReportWords, locale: string): HTMLElement {
  if (evidence.length === 0) {
    return section("kw-evidence", words.evidence, element("p", {}, words.noEvidence));
  }
  return section(
    "kw-evidence",
    words.evidence,
    table(
      "kw-evidence-table",
      words.evidence,
      [words.figure, words.value, words.how, words.when],
      evidence.map((item) => evidenceRow(item, words, locale)),
    ),
  );
}

function evidenceRow(item: EvidenceItem, words: ReportWords, locale: string): HTMLTableRowElement {
  return row(
    { "data-how": item.how, "data-stale": item.stale ? "true" : "false", title: item.stale ? words.stale : null },
    item.what,
    item.value,
    words[item.how],
    unbroken(item.at === null ? "" : moment(item.at, locale)),
  );
}
