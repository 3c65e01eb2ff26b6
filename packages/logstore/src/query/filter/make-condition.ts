import { SEVERITIES, type Severity } from '@berth/contract';
import { RE2JS } from 're2js';
import { normalizeTimestamp } from '../../entry/timestamp.ts';
import { textsWhere } from './field-table.ts';
import { FilterError, show } from './filter-error.ts';
import {
  type DerivedField,
  type FilterField,
  type NumberField,
  OWN_INSERT_ID,
  type StoredField,
  type TextField,
} from './filter-field.ts';
import { foldCase } from './fold-case.ts';
import { parseNetwork } from './ip-network.ts';
import type { ExactTest, LogFilter, OrderOperator } from './log-filter.ts';
import { parseDurationMs, parseNumber } from './parse-quantity.ts';
import { searchPhrases } from './search-phrases.ts';
import { isOrdered } from './text-test.ts';
import { type ComparisonOperator, unescapePattern } from './tokenize.ts';

/** The right side of a comparison. */
export interface FilterValue {
  readonly text: string;
  /** As written between the quotes, with escapes. */
  readonly raw: string;
  readonly isQuoted: boolean;
  readonly column: number;
}

/**
 * Maximum instructions of a compiled pattern: the cost of one character of a line. DuckDB's RE2 has a limit of its own.
 */
const PATTERN_INSTRUCTIONS_MAX = 5_000;

/** Maximum words of one SEARCH; each is a pattern of its own. */
const SEARCH_WORDS_MAX = 50;

/** Numbers of the severities in the cloud log. Source: LogSeverity of the Cloud Logging API. */
const SEVERITY_NUMBERS = [0, 100, 200, 300, 400, 500, 600, 700, 800];

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** Returns the condition that a word or phrase is in any field. */
export function anywhere(text: string): LogFilter {
  return { kind: 'anywhere', text: foldCase(text), jsonText: foldInJson(text) };
}

/**
 * Returns the condition that all words of `query` are in `field`, or in the entry.
 * @throws FilterError when the query has no word, or the field is not text.
 */
export function search(field: FilterField | undefined, query: string, column: number): LogFilter {
  const phrases = searchPhrases(query);
  if (phrases.length === 0) throw new FilterError('expected a word to search for', column);
  if (phrases.length > SEARCH_WORDS_MAX) throw new FilterError(`more than ${SEARCH_WORDS_MAX} words`, column);
  if (field && !isSearchable(field)) {
    throw new FilterError('expected a text field to search in', column);
  }
  return { kind: 'search', phrases, ...(field ? { field } : {}) };
}

function isSearchable(field: FilterField): field is StoredField {
  return ['text', 'label', 'payload'].includes(field.type) || (field.type === 'object' && field.name === 'labels');
}

/**
 * Returns the condition `field operator value`. A comparison with a field that an entry does not have is false, also
 * for `!=` and `!~`.
 * @throws FilterError when the value or the operator does not fit the field.
 */
export function compare(field: FilterField, operator: ComparisonOperator, value: FilterValue): LogFilter {
  if (field.type === 'absent') return { kind: 'nothing' };
  if (operator === ':' && value.text === '*' && !value.isQuoted) return { kind: 'present', field };
  if (operator === '!=') return butNot(field, compare(field, '=', value));
  if (operator === '!~') return butNot(field, compare(field, '=~', value));
  switch (field.type) {
    case 'text':
    case 'label':
      return compareText(field, operator, value);
    case 'derived':
      return field.isNumber ? compareNumber(field, operator, value) : compareText(field, operator, value);
    case 'number':
    case 'coldStart':
    case 'duration':
      return compareNumber(field, operator, value);
    case 'time':
      return { kind: 'time', operator: asOrder(operator, value), value: readTime(value) };
    case 'severity':
      return compareSeverity(operator, value);
    case 'payload':
      return comparePayload(field.path, operator, value);
    case 'object':
      if (operator === ':' && field.name === 'labels')
        return { kind: 'object', field, jsonText: foldInJson(value.text) };
      if (operator === ':' && field.name === 'httpRequest') return anyBelow('httprequest.', value);
      if (operator === ':' && field.name === 'resourceLabels') return anyBelow('resource.labels.', value);
      throw new FilterError('expected a field inside this one, or : to search all of it', value.column);
  }
}

function butNot(field: StoredField, condition: LogFilter): LogFilter {
  return {
    kind: 'and',
    terms: [
      { kind: 'present', field },
      { kind: 'not', term: condition },
    ],
  };
}

function compareNumber(field: NumberField | DerivedField, operator: ComparisonOperator, value: FilterValue): LogFilter {
  const order = asOrder(operator, value);
  const { text, column } = value;
  const isDuration = field.type === 'duration';
  const number = isDuration ? parseDurationMs(text) : parseNumber(text);
  if (number !== undefined) return { kind: 'number', field, operator: order, value: number };
  const expected = isDuration ? 'a duration such as "1.5s" or "200ms"' : 'a number';
  throw new FilterError(`expected ${expected}, found ${show(text)}`, column);
}

function compareText(field: TextField | DerivedField, operator: ComparisonOperator, value: FilterValue): LogFilter {
  const name = field.type === 'text' ? field.name : undefined;
  if (operator === '=~') {
    const pattern = readPattern(value);
    const test = { operator, pattern: name === 'trace' ? pattern.replace(TRACE_PREFIX, '$1') : pattern };
    return { kind: 'text', field, test };
  }
  const text =
    name === 'trace' ? value.text.replace(TRACE_PREFIX, '') : name === 'logName' ? ownLogName(value.text) : value.text;
  const test = { operator: operator as OrderOperator | ':', text: foldCase(text) };
  const own: LogFilter = { kind: 'text', field, test };
  // An id that a JSON line set is in its payload.
  return name === 'insertId' ? { kind: 'or', terms: [own, comparePayload([OWN_INSERT_ID], operator, value)] } : own;
}

/** Only the id of a trace is stored. Source: LogEntry.trace of the Cloud Logging API. */
const TRACE_PREFIX = /^(\^?)projects\/[^/]*\/traces\//;

/**
 * Returns `stdout` for `projects/p/logs/run.googleapis.com%2Fstdout`. Source: LogEntry.logName of the Cloud Logging
 * API; log names of Cloud Run.
 */
function ownLogName(text: string): string {
  const id = text
    .replace(/^(?:projects|folders|organizations|billingAccounts)\/[^/]*\/logs\//, '')
    .replaceAll(/%2f/gi, '/');
  return id.replace(/^run\.googleapis\.com\/(?:varlog\/)?/, '');
}

/** Returns the condition that any text field below `path` contains the value. */
function anyBelow(path: string, value: FilterValue): LogFilter {
  const names = textsWhere(({ paths }) => paths.some((one) => one.startsWith(path)));
  return { kind: 'or', terms: names.map((name) => compareText({ type: 'text', name }, ':', value)) };
}

/** A field, and the column where its name begins. */
export interface PlacedField {
  readonly field: FilterField;
  readonly column: number;
}

/** Returns the condition `log_id("stdout")`. */
export function logId(id: string): LogFilter {
  const text = foldCase(ownLogName(id));
  return { kind: 'text', field: { type: 'text', name: 'logName' }, test: { operator: '=', text } };
}

/**
 * Returns the condition `ip_in_net(field, "10.0.0.0/8")`. @throws FilterError for an invalid network, or a field that
 * is not text.
 */
export function inNetwork(field: PlacedField, network: string, column: number): LogFilter {
  const test = parseNetwork(network);
  if (!test) {
    throw new FilterError(`expected a network such as "10.0.0.0/8" or "2001:db8::/32", found ${show(network)}`, column);
  }
  return exact(field, test);
}

/**
 * Returns the condition `sample(insertId, 0.1)`, which selects the same entries each time. @throws FilterError for an
 * invalid fraction, or a field that is not text.
 */
export function sample(field: PlacedField, fraction: string, column: number): LogFilter {
  const part = parseNumber(fraction);
  if (part === undefined || part < 0 || part > 1) {
    throw new FilterError(`expected a fraction from 0 to 1, found ${show(fraction)}`, column);
  }
  const first = Math.floor(part * 2 ** 32).toString(16);
  return exact(field, { operator: 'sample', before: part === 1 ? undefined : first.padStart(8, '0') });
}

function exact({ field, column }: PlacedField, test: ExactTest): LogFilter {
  if (field.type === 'absent') return { kind: 'nothing' };
  if (field.type === 'text' || field.type === 'label') return { kind: 'text', field, test };
  if (field.type === 'payload' && field.path.length > 0) return { kind: 'payload', path: field.path, test };
  throw new FilterError('expected a text field', column);
}

const CAST_TYPES: ReadonlyMap<string, 'text' | 'number'> = new Map([
  ...['STRING', 'BOOL', 'BOOLEAN'].map((name) => [name, 'text'] as const),
  ...['INTEGER', 'INT64', 'DOUBLE', 'FLOAT64'].map((name) => [name, 'number'] as const),
]);

/** Returns the field `cast(field, INTEGER)`. @throws FilterError for a type or a field that can't be cast. */
export function castField(
  field: FilterField,
  type: string,
  columns: { readonly field: number; readonly type: number },
) {
  const wanted = type.toUpperCase();
  const isSame =
    (field.type === 'time' && wanted === 'TIMESTAMP') || (field.type === 'duration' && wanted === 'DURATION');
  if (isSame || field.type === 'absent') return field;
  const to = CAST_TYPES.get(wanted);
  if (to === undefined) {
    throw new FilterError(
      `expected a type, one of ${[...CAST_TYPES.keys()].join(', ')}, found ${show(type)}`,
      columns.type,
    );
  }
  return { ...derived(field, columns.field), isNumber: to === 'number' };
}

/**
 * Returns the field `regexp_extract(field, "(\\d+)")`. @throws FilterError when the pattern does not have one group, or
 * the field is not text.
 */
export function extractField(field: FilterField, value: FilterValue, column: number): FilterField {
  const pattern = readPattern(value);
  const groups = RE2JS.compile(pattern).groupCount();
  if (groups !== 1) throw new FilterError(`expected one group, in (…), in the pattern, found ${groups}`, value.column);
  return field.type === 'absent' ? field : { ...derived(field, column), pattern };
}

function derived(field: FilterField, column: number): DerivedField {
  if (field.type === 'derived') return field;
  if (field.type === 'payload' ? field.path.length > 0 : DERIVABLE.has(field.type)) {
    return { type: 'derived', of: field as DerivedField['of'], isNumber: false };
  }
  throw new FilterError('expected a field with text, a number, a time or a severity', column);
}

const DERIVABLE = new Set<FilterField['type']>(['text', 'label', 'number', 'time', 'severity']);

function comparePayload(path: readonly string[], operator: ComparisonOperator, value: FilterValue): LogFilter {
  if (path.length === 0) {
    if (operator !== ':') throw new FilterError('expected a field inside it, such as jsonPayload.user', value.column);
    return { kind: 'object', field: { type: 'payload', path }, jsonText: foldInJson(value.text) };
  }
  if (operator === '=~') return { kind: 'payload', path, test: { operator, pattern: readPattern(value) } };
  if (value.text === 'NULL_VALUE' && !value.isQuoted) {
    if (operator !== '=' && operator !== ':') throw new FilterError('expected = or != before NULL_VALUE', value.column);
    return { kind: 'payload', path, test: { operator: 'null' } };
  }
  const number = parseNumber(value.text);
  const text = foldCase(value.text);
  const test = {
    operator: operator as OrderOperator | ':',
    text,
    jsonText: foldInJson(value.text),
    ...(number === undefined ? {} : { number }),
    ...(text === 'true' || text === 'false' ? { boolean: text === 'true' } : {}),
  };
  return { kind: 'payload', path, test };
}

function compareSeverity(operator: ComparisonOperator, value: FilterValue): LogFilter {
  if (operator === '=~') {
    const pattern = RE2JS.compile(readPattern(value));
    const ranks = SEVERITIES.flatMap((severity, rank) => (pattern.matcher(severity).find() ? [rank] : []));
    return { kind: 'severity', ranks };
  }
  const order = asOrder(operator, value);
  const wanted = severityRank(value);
  const ranks = SEVERITIES.flatMap((_, rank) => (isOrdered(rank - wanted, order) ? [rank] : []));
  return { kind: 'severity', ranks };
}

function severityRank({ text, column }: FilterValue): number {
  const word = text.toUpperCase();
  const rank = SEVERITIES.indexOf(word as Severity);
  if (rank !== -1) return rank;
  const byNumber = SEVERITY_NUMBERS.indexOf(parseNumber(text) ?? -1);
  if (byNumber !== -1) return byNumber;
  throw new FilterError(`expected one of ${SEVERITIES.join(' ')}, found ${show(text)}`, column);
}

/** Returns the operator for values that have an order; `:` means equal. */
function asOrder(operator: ComparisonOperator, { column }: FilterValue): OrderOperator {
  if (operator === ':') return '=';
  if (operator === '=~') throw new FilterError('expected = != < <= > or >=: the field is not text', column);
  return operator as OrderOperator;
}

function readTime({ text, column }: FilterValue): string {
  try {
    return normalizeTimestamp(DAY.test(text) ? `${text}T00:00:00Z` : text);
  } catch {
    const expected = 'expected a day such as 2026-01-31 or a quoted time such as "2026-01-31T12:00:00Z"';
    throw new FilterError(`${expected}, found ${show(text)}`, column);
  }
}

function readPattern({ raw, isQuoted, column }: FilterValue): string {
  const pattern = isQuoted ? unescapePattern(raw) : raw;
  let size: number;
  try {
    size = RE2JS.compile(pattern).programSize();
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, '') : String(error);
    throw new FilterError(`the regular expression is invalid (RE2): ${reason}`, column);
  }
  if (size > PATTERN_INSTRUCTIONS_MAX) throw new FilterError('the regular expression is too large', column);
  return pattern;
}

/** Returns the text as it appears inside a JSON string, folded. */
function foldInJson(text: string): string {
  return foldCase(JSON.stringify(text).slice(1, -1));
}
