import { SEVERITIES } from '@berth/contract';
import { tokensOf } from '../../tokens/token-keys.ts';
import { foldCase } from './fold-case.ts';
import type { Condition, LogFilter, PayloadTest } from './log-filter.ts';
import { guardOf } from './payload-sql.ts';
import type { SearchPhrase } from './search-phrases.ts';
import { isExact } from './text-test.ts';

/** Texts without whose tokens no entry matches a filter. */
export type RequiredTokens =
  /** A folded text that some text of the entry contains; with `isWhole`, as whole tokens. */
  | { readonly kind: 'text'; readonly text: string; readonly isWhole: boolean }
  | { readonly kind: 'and' | 'or'; readonly terms: readonly RequiredTokens[] };

/** Properties of the log that words match and no text of a segment contains. */
interface LogNames {
  readonly deployment: string;
  /** The beginning of the entries' ids; see `toStoredEntry`. */
  readonly scopeTag: string;
}

/**
 * Returns tokens that the indexed texts of every matching entry have; undefined when the filter requires none: negations,
 * regular expressions, orders, and numbers are evaluated without the index.
 *
 * Every condition is reduced to "a text contains this text", on the texts of `index-tokens.ts`. The condition
 * that `toSql` writes must imply it.
 * @param names of the log, which are no part of the index.
 */
export function requiredTokens(filter: LogFilter | undefined, names: LogNames): RequiredTokens | undefined {
  return filter && read(filter, { ...names, deployment: foldCase(names.deployment) });
}

function read(filter: LogFilter, names: LogNames): RequiredTokens | undefined {
  switch (filter.kind) {
    case 'and':
      return all(filter.terms.map((term) => read(term, names)));
    case 'or':
      return any(filter.terms.map((term) => read(term, names)));
    case 'text':
      return readText(filter);
    case 'payload':
      return readPayload(filter.test);
    case 'object': {
      const isIndexed =
        filter.field.type === 'payload' || (filter.field.type === 'object' && filter.field.name === 'labels');
      return isIndexed ? contained(filter.jsonText) : undefined;
    }
    case 'anywhere':
      return readAnywhere(filter.text, filter.jsonText, names);
    case 'search':
      return readSearch(filter, names);
    default:
      return undefined;
  }
}

function all(terms: readonly (RequiredTokens | undefined)[]): RequiredTokens | undefined {
  const known = terms.filter((term) => term !== undefined);
  return known.length > 0 ? { kind: 'and', terms: known } : undefined;
}

function any(terms: readonly (RequiredTokens | undefined)[]): RequiredTokens | undefined {
  const known = terms.filter((term) => term !== undefined);
  return known.length === terms.length && known.length > 0 ? { kind: 'or', terms: known } : undefined;
}

function contained(text: string, isWhole = false): RequiredTokens | undefined {
  // A lone surrogate is stored as another character.
  return text.isWellFormed() && tokensOf(text).length > 0 ? { kind: 'text', text, isWhole } : undefined;
}

/** Text fields that are not indexed: each follows from the log or the timestamp. */
const DERIVED_TEXTS = new Set(['service', 'resourceType', 'insertId']);

function readText({ field, test }: Extract<Condition, { kind: 'text' }>): RequiredTokens | undefined {
  if (field.type === 'derived' || (field.type === 'text' && DERIVED_TEXTS.has(field.name))) return undefined;
  if (isExact(test) || (test.operator !== '=' && test.operator !== ':')) return undefined;
  // Labels are indexed as JSON.
  const text = field.type === 'label' ? JSON.stringify(test.text).slice(1, -1) : test.text;
  return contained(text, test.operator === '=');
}

function readPayload(test: PayloadTest): RequiredTokens | undefined {
  if (isExact(test) || test.operator === 'null') return undefined;
  const guard = guardOf(test);
  if (guard !== undefined) return contained(guard, test.operator === '=');
  // A number in JSON has one form while it is exact; see `encodeLine`.
  const { operator, number, jsonText } = test;
  if ((operator !== '=' && operator !== ':') || !Number.isSafeInteger(number)) return undefined;
  return any([contained(jsonText, operator === '='), contained(String(number), true)]);
}

function readAnywhere(text: string, jsonText: string, { deployment, scopeTag }: LogNames): RequiredTokens | undefined {
  const isName = text === deployment || SEVERITIES.some((severity) => foldCase(severity) === text);
  // An id begins with the tag.
  if (isName || text.startsWith(scopeTag)) return undefined;
  return text === jsonText ? contained(text) : any([contained(text), contained(jsonText)]);
}

function readSearch({ field, phrases }: Extract<Condition, { kind: 'search' }>, names: LogNames) {
  if (field?.type === 'text' && DERIVED_TEXTS.has(field.name)) return undefined;
  const readPhrase = ({ words }: SearchPhrase) =>
    !field && words.every((word) => names.deployment.includes(word))
      ? undefined
      : all(words.map((word) => contained(word, true)));
  return all(phrases.map(readPhrase));
}
