/** Figures in words, as the reader's language writes them. */
import { durationWords } from "../../units";

export { durationWords };

/** Three significant digits: `12.3`, `0.00457`. */
export function figure(value: number, locale: string): string {
  return value.toLocaleString(locale, { maximumSignificantDigits: 3 });
}

/** `41%`. */
export function percent(share: number, locale: string): string {
  return share.toLocaleString(locale, { style: "percent", maximumFractionDigits: share < 0.01 ? 1 : 0 });
}

/** `5.80×`: all its digits, so that `1.00×` is told from `1.004×`. */
export function factorWords(factor: number, locale: string): string {
  return `${factor.toLocaleString(locale, { minimumSignificantDigits: 3, maximumSignificantDigits: 3 })}×`;
}

/** A moment in seconds of the epoch, in the reader's own time. */
export function moment(seconds: number, locale: string): string {
  return new Date(seconds * 1000).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
}
