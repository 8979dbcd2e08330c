/** Figures in words, as the reader's language writes them. */
import { durationWords } from "../../units";

export { durationWords };

/** Three significant digits: `12.3`, `0.00457`. */
export function figure(value: number, locale: string): string {
  return value.toLocaleString(locale, { maximumSignificantDigits: 3 });
}

/** `41%`. */
export function percent(share: number, locale: string): string {
  return share.toLocaleString(locale, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 });
}

/** `5.8×`. */
export function factorWords(factor: number, locale: string): string {
  return `${figure(factor, locale)}×`;
}

/** A moment in seconds of the epoch, in the reader's own time. */
export function moment(seconds: number, locale: string): string {
  return new Date(seconds * 1000).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}
