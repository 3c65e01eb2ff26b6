/** What selectors read of an element. */
export interface Selectable {
  readonly tagName: string;
  readonly parentNode: Selectable | null;
  getAttribute(name: string): string | null;
}

/**
 * Returns true when an element matches a selector of tags, `#id`, `[name]`, `[name="value"]`, `:is()`, `:not()` and
 * descendants, which are those of the page's own code.
 */
export function matchSelector(element: Selectable, selector: string): boolean {
  return splitOutside(selector, ',').some((one) => matchPath(element, splitOutside(one.trim(), ' ')));
}

function matchPath(element: Selectable, steps: readonly string[]): boolean {
  const [last, before] = [steps.at(-1), steps.slice(0, -1)];
  if (last === undefined || !matchStep(element, last)) return false;
  if (before.length === 0) return true;
  for (let at = element.parentNode; at; at = at.parentNode) if (matchPath(at, before)) return true;
  return false;
}

function matchStep(element: Selectable, step: string): boolean {
  let rest = step;
  while (rest !== '') {
    const [part = '', isTag, id, name, value] =
      /^(?:([a-z]+\d?)|#([\w-]+)|\[([\w-]+)(?:="([^"]*)")?\])/.exec(rest) ?? [];
    const [head, choices] = part === '' ? readChoices(rest) : [part, ''];
    rest = rest.slice(head.length);
    const isMet =
      isTag !== undefined
        ? element.tagName === isTag.toUpperCase()
        : id !== undefined
          ? element.getAttribute('id') === id
          : name !== undefined
            ? value === undefined
              ? element.getAttribute(name) !== null
              : element.getAttribute(name) === value
            : matchSelector(element, choices) !== head.startsWith(':not');
    if (!isMet) return false;
  }
  return true;
}

/** Reads `:is(…)` or `:not(…)` at the beginning of `text`. @throws Error for any other selector */
function readChoices(text: string): readonly [head: string, choices: string] {
  const [open] = /^:(?:is|not)\(/.exec(text) ?? [];
  if (open === undefined) throw new Error(`no selector of these tests: ${text}`);
  let depth = 1;
  let end = open.length;
  for (; depth > 0; end++) depth += text[end] === '(' ? 1 : text[end] === ')' ? -1 : 0;
  return [text.slice(0, end), text.slice(open.length, end - 1)];
}

/** Splits a text at a separator that stands outside of brackets. */
function splitOutside(text: string, separator: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    depth += '(['.includes(character) ? 1 : ')]'.includes(character) ? -1 : 0;
    if (character === separator && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${character}`);
  }
  return parts.filter((part) => part !== '');
}
