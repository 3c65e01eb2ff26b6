import { queryError } from './sql-error.ts';
import { constantValue } from './sql-tree.ts';

/** What can open in a pattern: a quoted part, an escaped character, a class of characters, a group that captures. */
const PIECES = /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]])*\]|(?<group>\((?!\?)|\(\?P?<)/g;

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
