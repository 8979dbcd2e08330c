/** Making elements. Text is always text: nothing that a kernel holds can become markup. */

type Child = Node | string | null | undefined;
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** An element with attributes and children; attributes that are null, undefined or false are left out. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : String(value));
    }
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A button that does something. It is left out of exported files, where nothing can be done. */
export function button(label: string, attributes: Attributes, press: () => void): HTMLButtonElement {
  const made = element("button", { type: "button", "data-live": true, ...attributes }, label);
  made.addEventListener("click", press);
  return made;
}

/** A part of the page with a heading, by which screen readers find it. */
export function section(id: string, title: string, ...children: readonly Child[]): HTMLElement {
  const heading = element("h2", { id: `${id}-title` }, title);
  return element("section", { id, "aria-labelledby": `${id}-title` }, heading, ...children);
}

/** A table with named columns. `caption` is read out, and shown to nobody. */
export function table(
  id: string,
  caption: string,
  columns: readonly string[],
  rows: readonly HTMLTableRowElement[],
): HTMLElement {
  const head = element("tr", {}, ...columns.map((column) => element("th", { scope: "col" }, column)));
  const made = element(
    "table",
    { id },
    element("caption", { class: "kw-read-out" }, caption),
    element("thead", {}, head),
    element("tbody", {}, ...rows),
  );
  // Wide tables scroll by themselves, also by the keyboard.
  return element("div", { class: "kw-scroll", tabindex: 0, role: "region", "aria-label": caption }, made);
}

/** A row: its first cell names it. */
export function row(attributes: Attributes, ...cells: readonly Child[]): HTMLTableRowElement {
  const made = element("tr", attributes);
  cells.forEach((cell, at) => made.append(at === 0 ? element("th", { scope: "row" }, cell) : element("td", {}, cell)));
  return made;
}

/** A figure of a table, which is not broken into lines. */
export function unbroken(text: string): HTMLElement {
  return element("span", { class: "kw-unbroken" }, text);
}
