import { queryError } from './sql-error.ts';
import { constantValue } from './sql-tree.ts';

/** Beginnings in a pattern: a quoted part, an escaped character, a character class, a capturing group. */
const PIECES = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]])*\]|(?<group>\((?!\?)|\(\?P?<)/g;

/** As {@link PIECES}, with every bracket of a group. */
const BRACKETS = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]])*\]|[()]/g;

/**
 * Returns the group that the warehouse's `REGEXP_EXTRACT` and `REGEXP_EXTRACT_ALL` return: the pattern's only group, or
 * 0 for the whole match.
 * @param maySeveral returns the number of groups instead of refusing several.
 * @throws `invalid` when the pattern has several groups, which the warehouse refuses too, or is not a constant.
 */
export function regexpGroup(name: string, pattern: unknown, maySeveral = false): number {
  const text = constantValue(pattern);
  if (typeof text !== 'string') {
    throw queryError(
      `The pattern of ${name} must be a text constant. Otherwise, name the group that you want: ${name}(text, pattern, 1).`,
    );
  }
  const groups = [...text.matchAll(PIECES)].filter((piece) => piece.groups?.['group'] !== undefined).length;
  if (groups > 1 && !maySeveral) {
    throw queryError(
      `The pattern of ${name} has ${groups} groups; only one is allowed. Write (?:…) for the others, or name the group that you want: ${name}(text, pattern, 1).`,
    );
  }
  return groups;
}

/**
 * Returns true when the group of a pattern may match an empty text: `(a*)`, not `(a)?`. An empty text is then a match
 * of the group; otherwise the group took no part, for which the warehouse returns NULL and DuckDB an empty text.
 */
export function groupMayBeEmpty(pattern: unknown): boolean {
  const text = String(constantValue(pattern));
  const opening = [...text.matchAll(PIECES)].find((piece) => piece.groups?.['group'] !== undefined);
  const start = text.indexOf('(', opening?.index) + 1;
  let depth = 1;
  const end = [...text.slice(start).matchAll(BRACKETS)].find(([piece]) => {
    if (piece.startsWith('(')) depth++;
    else if (piece === ')') depth--;
    return depth === 0;
  })?.index;
  try {
    return new RegExp(`^(?:${text.slice(start, end === undefined ? undefined : start + end)})$`).test('');
  } catch {
    return true;
  }
}
