import { queryError } from './sql-error.ts';
import { constantValue } from './sql-tree.ts';

/** What can open in a pattern: a quoted part, an escaped character, a class of characters, a group that captures. */
const PIECES = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]])*\]|(?<group>\((?!\?)|\(\?P?<)/g;

/** As {@link PIECES}, with every bracket of a group. */
const BRACKETS = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]])*\]|[()]/g;

/**
 * The group that the warehouse's `REGEXP_EXTRACT` and `REGEXP_EXTRACT_ALL` answer: the one of the pattern, or 0 for all that matched.
 * @param maySeveral answers how many groups there are, however many
 * @throws `invalid` when the pattern has several groups, which the warehouse refuses too, or is no constant
 */
export function regexpGroup(name: string, pattern: unknown, maySeveral = false): number {
  const text = constantValue(pattern);
  if (typeof text !== 'string') {
    throw queryError(
      `The pattern of ${name} must be a text constant. Or name the group that is wanted: ${name}(text, pattern, 1).`,
    );
  }
  const groups = [...text.matchAll(PIECES)].filter((piece) => piece.groups?.['group'] !== undefined).length;
  if (groups > 1 && !maySeveral) {
    throw queryError(
      `The pattern of ${name} has ${groups} groups; one is possible. Write (?:…) for the others, or name the group that is wanted: ${name}(text, pattern, 1).`,
    );
  }
  return groups;
}

/**
 * Whether the one group of a pattern may match nothing: `(a*)`, not `(a)?`. Then an empty text is what the group matched; otherwise the group
 * took no part in the match, which the warehouse answers with NULL and the engine with an empty text.
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
