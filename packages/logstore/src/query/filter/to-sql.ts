import { SEVERITIES } from '@berth/contract';
import { NUMBERS, OBJECTS, PARTLY_MATCHED, SEARCHED, TEXTS, WHOLLY_MATCHED } from './field-table.ts';
import type { DerivedField, StoredField } from './filter-field.ts';
import { foldCase } from './fold-case.ts';
import type { Condition, LogFilter } from './log-filter.ts';
import { jsonValue, NUMBER_TYPES, payloadPresent, payloadText, writePayload } from './payload-sql.ts';
import type { SearchPhrase } from './search-phrases.ts';
import { type Bind as BindValue, contains, writeGuarded, writeText } from './text-test.ts';

/** A DuckDB condition, and the values of its `$1`, `$2`, …, in order. It is never NULL. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/** The range of TIMESTAMP_NS. */
const EARLIEST = '1677-09-22T00:00:00.000000000Z';
const LATEST = '2262-04-11T00:00:00.000000000Z';

/**
 * Compiles the filter to a WHERE condition over the columns of `selectColumns` and `selectWithNames`, with all values bound. It
 * matches the same entries as `createPredicate`; regular expressions run on DuckDB's own RE2.
 * @param scopeTag the beginning of the entries' ids; see `toStoredEntry`.
 */
export function toSql(filter: LogFilter, scopeTag: string): SqlCondition {
  const values: (string | number)[] = [];
  const bind = (value: string | number): string => {
    values.push(value);
    return `$${values.length}`;
  };
  return { sql: write(filter, Object.assign(bind, { scopeTag })), values };
}

/** A `Bind` that also has the log's scope tag. */
type Bind = BindValue & { readonly scopeTag: string };

function write(filter: LogFilter, bind: Bind): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.terms.map((term) => write(term, bind)).join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return `(NOT ${write(filter.term, bind)})`;
    case 'time':
    case 'severity':
      // Without coalesce, as these are never NULL: DuckDB can then skip row groups by their statistics.
      return `(${writeCondition(filter, bind)})`;
    default:
      return `coalesce(${writeCondition(filter, bind)}, false)`;
  }
}

function writeCondition(condition: Condition, bind: Bind): string {
  switch (condition.kind) {
    case 'text':
      if (isInsertId(condition.field) && condition.test.operator === '=') return writeId(condition.test.text, bind);
      return writeText(fieldColumn(condition.field, bind), condition.test, bind);
    case 'number':
      return `${fieldColumn(condition.field, bind)} ${condition.operator} ${bind(condition.value)}::DOUBLE`;
    case 'time': {
      const value = condition.value < EARLIEST ? EARLIEST : condition.value > LATEST ? LATEST : condition.value;
      return `timestamp ${condition.operator} ${bind(value.slice(0, -1))}::TIMESTAMP_NS`;
    }
    case 'severity':
      return writeSeverity(condition.ranks);
    case 'payload':
      return writePayload(condition.path, condition.test, bind);
    case 'nothing':
      return 'false';
    case 'present':
      if (condition.field.type === 'payload' && condition.field.path.length > 0) {
        return payloadPresent(condition.field.path, bind);
      }
      return `${fieldColumn(condition.field, bind)} IS NOT NULL`;
    case 'object':
      return contains(`${fieldColumn(condition.field, bind)}::VARCHAR`, condition.jsonText, bind);
    case 'anywhere':
      return writeAnywhere(condition.text, condition.jsonText, bind);
    case 'search':
      return writeSearch(condition.field, condition.phrases, bind);
  }
}

function writeSeverity(ranks: readonly number[]): string {
  const [low, high] = [Math.min(...ranks), Math.max(...ranks)];
  if (ranks.length === 0) return 'false';
  if (high - low + 1 !== ranks.length) return `severity IN (${ranks.join(', ')})`;
  return high === SEVERITIES.length - 1 ? `severity >= ${low}` : `severity >= ${low} AND severity <= ${high}`;
}

function isInsertId(field: StoredField): boolean {
  return field.type === 'text' && field.name === 'insertId';
}

/**
 * Compares the timestamp instead: an id is the log's tag and the entry's timestamp, and the id column is computed for
 * every row.
 */
function writeId(id: string, bind: Bind): string {
  const nanos = id.startsWith(bind.scopeTag) ? parseBase36(id.slice(bind.scopeTag.length)) : undefined;
  return nanos === undefined ? 'false' : `timestamp = make_timestamp_ns(${bind(nanos.toString())}::BIGINT)`;
}

/** Parses a number as written by `toString(36)`; undefined for other texts, and beyond 63 bits. */
function parseBase36(text: string): bigint | undefined {
  if (!/^[0-9a-z]{1,13}$/.test(text)) return undefined;
  const value = [...text].reduce((sum, digit) => sum * 36n + BigInt(Number.parseInt(digit, 36)), 0n);
  return value < 2n ** 63n && value.toString(36) === text ? value : undefined;
}

function writeAnywhere(text: string, jsonText: string, bind: Bind): string {
  const ranks = SEVERITIES.flatMap((severity, rank) => (foldCase(severity) === text ? [`severity = ${rank}`] : []));
  const parts = [
    ...PARTLY_MATCHED.map((name) => contains(TEXTS[name].column, text, bind)),
    ...['json_payload', 'labels'].map((column) => contains(column, jsonText, bind)),
    ...WHOLLY_MATCHED.map((name) =>
      name === 'insertId' ? writeId(text, bind) : `lower(${TEXTS[name].column}) = ${bind(text)}`,
    ),
    ...ranks,
  ];
  return `(${parts.join(' OR ')})`;
}

/** Searches the text of a string, and the JSON text of anything else. */
function writeSearch(field: StoredField | undefined, phrases: readonly SearchPhrase[], bind: Bind): string {
  const isInPayload = field?.type === 'payload' && field.path.length > 0;
  const columns = field
    ? [isInPayload ? payloadText(field.path, bind) : fieldColumn(field, bind)]
    : [...SEARCHED.map((name) => TEXTS[name].column), 'json_payload', 'labels'];
  const found = ({ words, pattern }: SearchPhrase) =>
    columns.map((column) => {
      // Looking for the words first is cheap, and most texts don't need the pattern then.
      const hasWords = words.map((word) => contains(column, word, bind)).join(' AND ');
      return writeGuarded(hasWords, `regexp_matches(lower(${column}), ${bind(pattern)})`);
    });
  return phrases.map((phrase) => `(${found(phrase).join(' OR ')})`).join(' AND ');
}

/** Decimal numbers as in `parseNumber`. */
const NUMBER_PATTERN = '[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?';

function derivedColumn(field: DerivedField, bind: Bind): string {
  const { of, pattern, isNumber } = field;
  const source = derivedSource(of, bind);
  let text = source;
  if (pattern !== undefined) {
    const bound = bind(pattern);
    text = `CASE WHEN regexp_matches(${source}, ${bound}) THEN regexp_extract(${source}, ${bound}, 1) END`;
  }
  if (!isNumber) return text;
  return `CASE WHEN regexp_full_match(${text}, '${NUMBER_PATTERN}') THEN (${text})::DOUBLE END`;
}

/** Returns SQL of the text of a scalar. */
function derivedSource(of: DerivedField['of'], bind: Bind): string {
  if (of.type === 'severity') return `list_value(${SEVERITIES.map((name) => `'${name}'`).join(', ')})[severity + 1]`;
  if (of.type === 'time') return `(strftime(timestamp, '%Y-%m-%dT%H:%M:%S.%n') || 'Z')`;
  if (of.type !== 'payload') return `${fieldColumn(of, bind)}::VARCHAR`;
  const { type } = jsonValue('json_payload', of.path, bind);
  return `CASE WHEN coalesce(${type}, '') NOT IN ('OBJECT', 'NULL', 'ARRAY') THEN ${payloadText(of.path, bind)} END`;
}

/** Returns SQL of a field's value; of a payload, all of it: what is at a path depends on the condition. */
function fieldColumn(field: StoredField, bind: Bind): string {
  switch (field.type) {
    case 'text':
      return TEXTS[field.name].column;
    case 'label':
      return jsonValue('labels', [field.key], bind).text;
    case 'number':
    case 'duration':
      return NUMBERS[field.name].column;
    case 'coldStart': {
      const part = jsonValue('cold_start', [field.part], bind);
      const types = NUMBER_TYPES.map((name) => `'${name}'`).join(', ');
      return `CASE WHEN ${part.type} IN (${types}) THEN ${part.text}::DOUBLE END`;
    }
    case 'payload':
      return 'json_payload';
    case 'derived':
      return derivedColumn(field, bind);
    case 'object':
      return OBJECTS[field.name].column;
    case 'time':
      return 'timestamp';
    case 'severity':
      return 'severity';
  }
}
