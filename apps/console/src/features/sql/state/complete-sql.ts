import {
  type Completion,
  type CompletionOption,
  matching,
  toOption,
} from '../../../components/code-field/completion.ts';
import { RELATIONS } from './relations.ts';

export const KEYWORDS = [
  ...['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'LIMIT', 'HAVING', 'WITH', 'AS', 'AND', 'OR', 'NOT', 'IN'],
  ...['BETWEEN', 'LIKE', 'IS NULL', 'DISTINCT', 'CASE', 'WHEN', 'THEN', 'ELSE', 'END', 'DESC', 'JOIN', 'INTERVAL'],
];
export const FUNCTIONS = [
  ...['COUNT(', 'SUM(', 'AVG(', 'MIN(', 'MAX(', 'COUNTIF(', 'APPROX_QUANTILES(', 'CAST(', 'SAFE_CAST(', 'SAFE_DIVIDE('],
  ...['TIMESTAMP_TRUNC(', 'TIMESTAMP_SUB(', 'TIMESTAMP_DIFF(', 'CURRENT_TIMESTAMP()', 'FORMAT_TIMESTAMP('],
  ...['JSON_VALUE(', 'REGEXP_CONTAINS('],
];

/** Completes relations after FROM and JOIN, and columns, functions and keywords elsewhere. */
export function completeSql(text: string, caret: number): Completion | undefined {
  const before = text.slice(0, caret);
  if (isInside(before)) return undefined;
  const word = /[\w.]+$/.exec(before)?.[0] ?? '';
  const from = caret - word.length;
  if (/\b(?:from|join)\s+$/i.test(before.slice(0, from))) {
    return matching(Object.keys(RELATIONS).map(toOption('field')), word, from);
  }
  // Nothing is typed yet; a list of everything would be in the way.
  if (word === '' || /^\d/.test(word)) return undefined;
  const named = Object.keys(RELATIONS).filter((name) => new RegExp(`\\b(?:from|join)\\s+${name}\\b`, 'i').test(text));
  const columns = (named.length === 0 ? Object.keys(RELATIONS) : named)
    .flatMap((name) => RELATIONS[name] ?? [])
    .filter(({ name }, index, all) => all.findIndex((one) => one.name === name) === index);
  return matching(
    columns
      .map(({ name, type }): CompletionOption => ({ text: name, kind: 'field', about: type }))
      .concat(FUNCTIONS.map(toOption('value')), KEYWORDS.map(toOption('word'))),
    word,
    from,
  );
}

/** Returns whether the caret is inside a string literal or a comment. */
function isInside(before: string): boolean {
  const rest = before.replaceAll(/'(?:[^']|'')*'|\/\*[\s\S]*?\*\//g, '');
  return /'[^']*$/.test(rest) || /--[^\n]*$/.test(rest) || /\/\*/.test(rest);
}
