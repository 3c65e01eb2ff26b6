import { SEVERITIES } from '@berth/contract';
import { tokensOf } from '../../tokens/token-keys.ts';
import type { Condition, LogFilter } from './log-filter.ts';
import type { RequiredTokens } from './required-tokens.ts';

/** Bounds on every entry that matches a filter. */
export interface FilterBounds {
  /** Timestamps of the log, both inclusive. */
  readonly from: string;
  readonly until: string;
  /** Bit set of the severities that may match: 1 << the severity's index in SEVERITIES. */
  readonly severities: number;
}

/** Every timestamp sorts between these. */
const FIRST = '';
const LAST = '~';

/** Bounds that include all entries. */
export const UNBOUNDED: FilterBounds = { from: FIRST, until: LAST, severities: 2 ** SEVERITIES.length - 1 };

const NOTHING: FilterBounds = { from: LAST, until: FIRST, severities: 0 };

/** Returns the bounds of a filter. They may be too wide, but never too narrow: they only avoid reads. */
export function boundsOf(filter: LogFilter | undefined): FilterBounds {
  if (!filter) return UNBOUNDED;
  switch (filter.kind) {
    case 'not':
      return UNBOUNDED;
    case 'and':
      return filter.terms.map(boundsOf).reduce(intersect, UNBOUNDED);
    case 'or':
      return filter.terms.map(boundsOf).reduce(unite, NOTHING);
    default:
      return boundsOfCondition(filter);
  }
}

function boundsOfCondition(condition: Condition): FilterBounds {
  if (condition.kind === 'severity') {
    return { ...UNBOUNDED, severities: condition.ranks.reduce((bits, rank) => bits | (1 << rank), 0) };
  }
  if (condition.kind === 'nothing') return NOTHING;
  if (condition.kind !== 'time') return UNBOUNDED;
  const { operator, value } = condition;
  return {
    ...UNBOUNDED,
    from: operator.startsWith('<') ? FIRST : value,
    until: operator.startsWith('>') ? LAST : value,
  };
}

function intersect(one: FilterBounds, other: FilterBounds): FilterBounds {
  return {
    from: later(one.from, other.from),
    until: earlier(one.until, other.until),
    severities: one.severities & other.severities,
  };
}

function unite(one: FilterBounds, other: FilterBounds): FilterBounds {
  return {
    from: earlier(one.from, other.from),
    until: later(one.until, other.until),
    severities: one.severities | other.severities,
  };
}

function earlier(one: string, other: string): string {
  return one <= other ? one : other;
}

function later(one: string, other: string): string {
  return one >= other ? one : other;
}

/** With more severities most lines match, and the check does not pay. */
const GUARDED_SEVERITIES_MAX = 4;

/**
 * Returns a check of a line before its JSON is parsed: false only when the line's severity is not within the bounds, or
 * it lacks a token of the filter. Parsing JSON is the main cost of a search through lines.
 */
export function createLineGuard(
  { severities }: FilterBounds,
  tokens?: RequiredTokens | undefined,
): (line: Buffer) => boolean {
  const mayHave = tokens && createTextTest(tokens);
  const names = SEVERITIES.filter((_, rank) => (severities & (1 << rank)) !== 0);
  // As `encodeLine` writes it. Quotes in a message are escaped; in a payload the text only lets a line through.
  const mark =
    names.length > GUARDED_SEVERITIES_MAX ? undefined : new RegExp(`"severity":"(?:${names.join('|') || '(?!)'})"`);
  if (!mark && !mayHave) return () => true;
  return (line) => {
    // One pass of a regular expression takes a third of the time of a search for each severity's bytes.
    const text = line.toString('latin1');
    if (mark && !mark.test(text)) return false;
    if (!mayHave) return true;
    const folded = text.toLowerCase();
    // Some letters of other alphabets fold to ASCII.
    return mayHave(folded) || NOT_ASCII.test(folded);
  };
}

const NOT_ASCII = /[\u0080-\u00ff]/;

/** Returns a test of a line in lower case. JSON's escapes only replace what separates tokens. */
function createTextTest(required: RequiredTokens): (line: string) => boolean {
  if (required.kind === 'text') {
    const tokens = tokensOf(required.text);
    return (line) => tokens.every((token) => line.includes(token));
  }
  const tests = required.terms.map(createTextTest);
  return required.kind === 'and'
    ? (line) => tests.every((test) => test(line))
    : (line) => tests.some((test) => test(line));
}
