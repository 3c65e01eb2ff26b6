import { SEVERITIES } from '@berth/contract';
import { SEARCHED, WHOLE } from './create-predicate.ts';
import { RESOURCE_TYPE } from './entry-view.ts';
import type { FilterField, NumberField, TextField, TextName } from './filter-field.ts';
import { foldCase } from './fold-case.ts';
import type { Condition, LogFilter, PayloadTest, TextTest } from './log-filter.ts';

/** A condition of DuckDB's SQL and the values of its `$1`, `$2`, …, in order. It is never NULL. */
export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * Columns that a table of entries has: `timestamp` TIMESTAMP_NS, `severity` UTINYINT (its place in SEVERITIES), and as
 * VARCHAR `log_name, message, json_payload, labels, cold_start` (these three JSON text), `trace, insert_id, deployment,
 * revision, instance, http_method, http_url, http_remote_ip, http_user_agent, http_protocol`; INTEGER `http_status`,
 * BIGINT `http_request_size, http_response_size`, DOUBLE `http_latency_ms`. NULL where an entry has none.
 */
const TEXT_COLUMNS: Readonly<Record<TextName, string>> = {
  textPayload: 'CASE WHEN json_payload IS NULL AND http_method IS NULL THEN message END',
  message: 'message',
  logName: 'log_name',
  insertId: 'insert_id',
  trace: 'trace',
  resourceType: `'${RESOURCE_TYPE}'`,
  service: 'deployment',
  revision: 'revision',
  instance: 'instance',
  method: 'http_method',
  url: 'http_url',
  remoteIp: 'http_remote_ip',
  userAgent: 'http_user_agent',
  protocol: 'http_protocol',
};

const NUMBER_COLUMNS = {
  status: 'http_status',
  requestSize: 'http_request_size',
  responseSize: 'http_response_size',
  latencyMs: 'http_latency_ms',
} as const;

/** Of an object of the request only the presence is looked at. */
const OBJECT_COLUMNS = { labels: 'labels', httpRequest: 'http_method', coldStart: 'cold_start' } as const;

const NUMBER_TYPES = "('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE')";

/** What TIMESTAMP_NS can hold. */
const EARLIEST = '1677-09-22T00:00:00.000000000Z';
const LATEST = '2262-04-11T00:00:00.000000000Z';

/**
 * The filter as a WHERE condition over the columns above, all values bound. It fits the same entries as
 * `createPredicate`; regular expressions run on DuckDB's own RE2.
 */
export function toSql(filter: LogFilter): SqlCondition {
  const values: (string | number)[] = [];
  const bind = (value: string | number): string => {
    values.push(value);
    return `$${values.length}`;
  };
  return { sql: write(filter, bind), values };
}

type Bind = (value: string | number) => string;

function write(filter: LogFilter, bind: Bind): string {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return `(${filter.terms.map((term) => write(term, bind)).join(filter.kind === 'and' ? ' AND ' : ' OR ')})`;
    case 'not':
      return `(NOT ${write(filter.term, bind)})`;
    default:
      return `coalesce(${writeCondition(filter, bind)}, false)`;
  }
}

function writeCondition(condition: Condition, bind: Bind): string {
  switch (condition.kind) {
    case 'text':
      return writeText(textColumn(condition.field, bind), condition.test, bind);
    case 'number':
      return `${numberColumn(condition.field, bind)} ${condition.operator} ${bind(condition.value)}::DOUBLE`;
    case 'time': {
      const value = condition.value < EARLIEST ? EARLIEST : condition.value > LATEST ? LATEST : condition.value;
      return `timestamp ${condition.operator} ${bind(value.slice(0, -1))}::TIMESTAMP_NS`;
    }
    case 'severity':
      return condition.ranks.length === 0 ? 'false' : `severity IN (${condition.ranks.join(', ')})`;
    case 'payload':
      return writePayload(jsonAt('json_payload', condition.path, bind), condition.test, bind);
    case 'present':
      return `${fieldColumn(condition.field, bind)} IS NOT NULL`;
    case 'object':
      return contains(`${fieldColumn(condition.field, bind)}::VARCHAR`, condition.jsonText, bind);
    case 'anywhere':
      return writeAnywhere(condition.text, condition.jsonText, bind);
    case 'search':
      return writeSearch(condition.field, condition.patterns, bind);
  }
}

function writeText(column: string, test: TextTest, bind: Bind): string {
  if (test.operator === '=~') return `regexp_matches(${column}, ${bind(test.pattern)})`;
  if (test.operator === ':') return contains(column, test.text, bind);
  return `lower(${column}) ${test.operator} ${bind(test.text)}`;
}

function contains(column: string, text: string, bind: Bind): string {
  return `contains(lower(${column}), ${bind(text)})`;
}

function writePayload(value: string, test: PayloadTest, bind: Bind): string {
  if (test.operator === 'null') return `json_type(${value}) = 'NULL'`;
  const scalar = writeScalar('element', test, bind);
  const one = `len(list_filter([${value}], lambda element: ${scalar})) > 0`;
  if (test.operator === ':') {
    const inside = contains(`${value}::VARCHAR`, test.jsonText, bind);
    return `CASE WHEN json_type(${value}) IN ('ARRAY', 'OBJECT') THEN ${inside} ELSE ${one} END`;
  }
  const any = `len(list_filter(json_extract(${value}, '$[*]'), lambda element: ${scalar})) > 0`;
  return `CASE WHEN json_type(${value}) = 'ARRAY' THEN ${any} ELSE ${one} END`;
}

function writeScalar(value: string, test: Exclude<PayloadTest, { operator: 'null' }>, bind: Bind): string {
  const text = `(${value} ->> '$')`;
  if (test.operator === '=~') {
    const matches = writeText(text, test, bind);
    return `coalesce(json_type(${value}) NOT IN ('NULL', 'ARRAY', 'OBJECT') AND ${matches}, false)`;
  }
  const { operator, number, boolean } = test;
  const order = operator === ':' ? '=' : operator;
  const cases = [`WHEN json_type(${value}) = 'VARCHAR' THEN ${writeText(text, { operator, text: test.text }, bind)}`];
  if (number !== undefined) {
    cases.push(`WHEN json_type(${value}) IN ${NUMBER_TYPES} THEN ${text}::DOUBLE ${order} ${bind(number)}::DOUBLE`);
  }
  if (boolean !== undefined && order === '=') {
    cases.push(`WHEN json_type(${value}) = 'BOOLEAN' THEN ${text} = '${boolean}'`);
  }
  return `coalesce(CASE ${cases.join(' ')} END, false)`;
}

function writeAnywhere(text: string, jsonText: string, bind: Bind): string {
  const ranks = SEVERITIES.flatMap((severity, rank) => (foldCase(severity) === text ? [`severity = ${rank}`] : []));
  const parts = [
    ...SEARCHED.map((name) => contains(TEXT_COLUMNS[name], text, bind)),
    ...['json_payload', 'labels'].map((column) => contains(column, jsonText, bind)),
    ...WHOLE.map((name) => `lower(${TEXT_COLUMNS[name]}) = ${bind(text)}`),
    ...ranks,
  ];
  return parts.join(' OR ');
}

function writeSearch(field: FilterField | undefined, patterns: readonly string[], bind: Bind): string {
  const columns = field
    ? [searchedColumn(field, bind)]
    : [...[...SEARCHED, ...WHOLE].map((name) => TEXT_COLUMNS[name]), 'json_payload', 'labels'];
  const found = (pattern: string) =>
    columns.map((column) => `coalesce(regexp_matches(lower(${column}), ${bind(pattern)}), false)`).join(' OR ');
  return patterns.map((pattern) => `(${found(pattern)})`).join(' AND ');
}

/** The text of a string, the JSON text of anything else. */
function searchedColumn(field: FilterField, bind: Bind): string {
  const column = fieldColumn(field, bind);
  if (field.type !== 'payload' || field.path.length === 0) return column;
  return `CASE WHEN json_type(${column}) = 'VARCHAR' THEN ${column} ->> '$' ELSE ${column}::VARCHAR END`;
}

function fieldColumn(field: FilterField, bind: Bind): string {
  switch (field.type) {
    case 'text':
    case 'label':
      return textColumn(field, bind);
    case 'number':
    case 'duration':
    case 'coldStart':
      return numberColumn(field, bind);
    case 'payload':
      return jsonAt('json_payload', field.path, bind);
    case 'object':
      return OBJECT_COLUMNS[field.name];
    case 'time':
      return 'timestamp';
    case 'severity':
      return 'severity';
  }
}

function textColumn(field: TextField, bind: Bind): string {
  if (field.type === 'text') return TEXT_COLUMNS[field.name];
  return `(${jsonAt('labels', [field.key], bind)} ->> '$')`;
}

function numberColumn(field: NumberField, bind: Bind): string {
  if (field.type !== 'coldStart') return NUMBER_COLUMNS[field.name];
  const part = jsonAt('cold_start', [field.part], bind);
  return `CASE WHEN json_type(${part}) IN ${NUMBER_TYPES} THEN (${part} ->> '$')::DOUBLE END`;
}

/** By JSON pointer: it can name any key. Source: RFC 6901. */
function jsonAt(column: string, path: readonly string[], bind: Bind): string {
  if (path.length === 0) return column;
  const pointer = path.map((segment) => `/${segment.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  return `json_extract(${column}, ${bind(pointer)})`;
}
