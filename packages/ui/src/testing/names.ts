/** A name of an element: the whole text, or a pattern. */
export type Name = string | RegExp;

/** Returns the visible elements that match a selector, with a name if one is given, in the order of the document. */
export function findNamed<Found extends HTMLElement = HTMLElement>(selector: string, name?: Name): Found[] {
  const visible = [...document.querySelectorAll<Found>(selector)].filter((one) => !isHidden(one));
  if (name === undefined) return visible;
  return visible.filter((one) => (typeof name === 'string' ? nameOf(one) === name : name.test(nameOf(one))));
}

/** Returns the element with a name; of several, the one at `index`. @throws when there is none, or several without an index */
export function getNamed<Found extends HTMLElement = HTMLElement>(
  selector: string,
  name?: Name,
  index?: number,
): Found {
  const found = findNamed<Found>(selector, name);
  const one = found[index ?? 0];
  if (one && (index !== undefined || found.length === 1)) return one;
  const names = findNamed(selector).map((other) => `“${nameOf(other)}”`);
  throw new Error(`${found.length} elements “${name}” match ${selector}. There are: ${names.join(', ')}`);
}

function isHidden(element: HTMLElement): boolean {
  return element.closest('[hidden], [aria-hidden=true], [inert]') !== null;
}

/** Returns the accessible name. Source: Accessible Name and Description Computation 1.2, as far as the pages use it. */
export function nameOf(element: Element): string {
  const ids = element.getAttribute('aria-labelledby')?.split(' ') ?? [];
  const labels = ids.flatMap((id) => document.getElementById(id) ?? []);
  if (labels.length > 0) return labels.map(textOf).join(' ');
  const own = element.getAttribute('aria-label');
  if (own !== null) return own;
  const named = element.id === '' ? null : document.querySelector(`label[for="${element.id}"]`);
  const label = named ?? (element.matches('input, textarea') ? element.closest('label') : null);
  if (label) return textOf(label);
  return textOf(element) || (element.getAttribute('alt') ?? element.getAttribute('title') ?? '').trim();
}

/** Returns the text that a screen reader reads. */
export function textOf(element: Element): string {
  const read = (node: Node): string => {
    if (node instanceof Element && node.matches('[hidden], [aria-hidden=true]')) return '';
    return node.nodeValue ?? [...node.childNodes].map(read).join('');
  };
  return [...element.childNodes].map(read).join('').trim();
}
