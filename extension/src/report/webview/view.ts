/** The whole report as a page, and what of it goes into an exported file. */
import type { ReportResult } from "../../protocol";
import type { ReportWords } from "../words";
import { evidenceSection } from "./evidence";
import { heatSection } from "./heat";
import { historySection } from "./history";
import { rooflineSection } from "./roofline";
import { contractSection, findingsSection, header, offersSection, summary, type Actions } from "./summary";

/** Show a report in place of the one before. What had the focus keeps it, and the page stays where it was scrolled. */
export function showReport(
  page: HTMLElement,
  report: ReportResult,
  words: ReportWords,
  locale: string,
  actions: Actions,
): void {
  const focused = pathOfFocus(page);
  const scrolled = window.scrollY;
  const job = page.querySelector("#kw-job")?.textContent ?? "";
  const opened = new Set([...page.querySelectorAll("details[open]")].map((one) => one.closest("section")?.id));
  const parts = [
    header(report, words, actions),
    summary(report, words, locale),
    offersSection(report, words, actions),
    rooflineSection(report, words, locale, page.clientWidth),
    historySection(report.search, words, locale, page.clientWidth),
    heatSection(report, words, locale, (line) => actions.open(line)),
    findingsSection(report, words, actions),
    contractSection(report, words),
    evidenceSection(report, words, locale),
  ];
  page.replaceChildren(...parts.filter((part) => part !== null));
  page.dataset.state = "shown";
  page.dataset.kernel = report.signature;
  page.dataset.version = String(report.version);
  page.setAttribute("aria-busy", "false");
  const said = page.querySelector("#kw-job");
  if (said !== null) {
    said.textContent = job;
  }
  for (const details of page.querySelectorAll("details")) {
    details.open = opened.has(details.closest("section")?.id);
  }
  if (focused !== undefined) {
    page.querySelector<HTMLElement>(focused)?.focus({ preventScroll: true });
  }
  window.scrollTo({ top: scrolled });
}

/** Where the focus is, in words that find the same place in a page made anew. */
function pathOfFocus(page: HTMLElement): string | undefined {
  const active = document.activeElement;
  if (!(active instanceof HTMLElement) || !page.contains(active)) {
    return undefined;
  }
  if (active.id !== "") {
    return `#${active.id}`;
  }
  const around = active.closest("section")?.id;
  const line = active.dataset.line;
  return around !== undefined && line !== undefined ? `#${around} button[data-line="${line}"]` : undefined;
}

/** The page's content without what can be pressed: a file has nothing that would answer. */
export function contentToExport(page: HTMLElement): string {
  const copy = page.cloneNode(true) as HTMLElement;
  for (const live of copy.querySelectorAll("[data-live], #kw-problem")) {
    live.remove();
  }
  for (const scrolls of copy.querySelectorAll("[tabindex]")) {
    scrolls.removeAttribute("tabindex");
  }
  for (const details of copy.querySelectorAll("details")) {
    details.open = true;
  }
  return copy.innerHTML;
}
