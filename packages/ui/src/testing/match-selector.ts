/** What a selector reads of an element. */
export interface Selectable {
  readonly localName: string;
  readonly parentElement: Selectable | null;
  getAttribute(name: string): string | null;
}

const PART =
  /^(?:([a-z][\w-]*|\*)|#([\w-]+)|\.([\w-]+)|\[([\w-]+)(?:([~^$*|]?=)["']?([^"'\]]*)["']?)?\]|:(not|is|where)\(((?:[^()]|\([^()]*\))*)\)|(::?[\w-]+))/i;

/**
 * Returns whether `element` matches a CSS selector. Knows tags, ids, classes, attributes, `:not`, `:is`, `:disabled`, and the
 * descendant and child combinators; other pseudo-classes match nothing.
 */
export function matchSelector(element: Selectable, selector: string): boolean {
  return splitList(selector).some((one) => matchComplex(element, one.trim()));
}

function splitList(selector: string): string[] {
  return selector.split(/,(?![^([]*[)\]])/);
}

function matchComplex(element: Selectable, selector: string): boolean {
  const compounds = selector.split(/\s*>\s*|\s+(?![^([]*[)\]])/);
  const combinators = [...selector.matchAll(/\s*(>)\s*|\s+(?![^([]*[)\]])/g)].map(([, sign]) => sign ?? ' ');
  const matchFrom = (node: Selectable | null, at: number): boolean => {
    if (!node || !matchCompound(node, compounds[at] ?? '')) return false;
    if (at === 0) return true;
    if (combinators[at - 1] === '>') return matchFrom(node.parentElement, at - 1);
    for (let above = node.parentElement; above; above = above.parentElement) if (matchFrom(above, at - 1)) return true;
    return false;
  };
  return matchFrom(element, compounds.length - 1);
}

function matchCompound(element: Selectable, compound: string): boolean {
  let rest = compound;
  while (rest !== '') {
    const part = PART.exec(rest);
    if (!part || !matchPart(element, part)) return false;
    rest = rest.slice(part[0].length);
  }
  return true;
}

function matchPart(element: Selectable, part: RegExpExecArray): boolean {
  const [, tag, id, className, attribute, sign, value = '', pseudo, inner = '', other] = part;
  if (tag !== undefined) return tag === '*' || element.localName === tag.toLowerCase();
  if (id !== undefined) return element.getAttribute('id') === id;
  if (className !== undefined) return (element.getAttribute('class') ?? '').split(/\s+/).includes(className);
  if (attribute !== undefined) return matchAttribute(element.getAttribute(attribute), sign, value);
  if (pseudo !== undefined) return matchSelector(element, inner) !== (pseudo === 'not');
  return other === ':disabled' && element.getAttribute('disabled') !== null;
}

function matchAttribute(actual: string | null, sign: string | undefined, wanted: string): boolean {
  if (actual === null) return false;
  if (sign === undefined) return true;
  if (sign === '=') return actual === wanted;
  if (sign === '^=') return actual.startsWith(wanted);
  if (sign === '$=') return actual.endsWith(wanted);
  return sign === '*=' ? actual.includes(wanted) : actual.split(/\s+/).includes(wanted);
}
