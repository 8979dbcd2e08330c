/** Durations in words. */

const UNITS = [
  ["ns", 1],
  ["µs", 1e3],
  ["ms", 1e6],
  ["s", 1e9],
] as const;

/** `12.3 µs`, in three digits. */
export function durationWords(ns: number): string {
  let [unit, size]: readonly [string, number] = UNITS[0];
  for (const [name, factor] of UNITS) {
    if (ns >= factor * 0.9995) {
      [unit, size] = [name, factor];
    }
  }
  const value = ns / size;
  const digits = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${unit}`;
}
