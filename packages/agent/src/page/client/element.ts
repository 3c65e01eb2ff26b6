/** What an element is given: attributes by name; `onX` listeners; false and undefined are left out, true is an empty attribute. */
export type Attributes = Readonly<
  Record<string, string | number | boolean | undefined | ((event: never) => void | Promise<void>)>
>;

export type Child = Node | string | undefined | false;

/**
 * Makes an element. Text only ever becomes text nodes: nothing in the page parses HTML, so nothing of a message can
 * become markup (the page's Content-Security-Policy forbids it as well).
 */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') node.addEventListener(name.slice(2).toLowerCase(), value as EventListener);
    else node.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children) if (child !== undefined && child !== false) node.append(child);
  return node;
}
