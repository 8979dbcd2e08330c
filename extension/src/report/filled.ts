/** A template with its places filled: `filled("{0} to {1}", "2", "3")` is `2 to 3`. */
export function filled(template: string, ...values: readonly string[]): string {
  return template.replace(/\{(\d+)\}/g, (place, number: string) => values[Number(number)] ?? place);
}
