import type { Severity, SqlRow } from '@berth/contract';
import { chooseStep } from './histogram.ts';
import { SEVERITY_ORDER } from './severities.ts';

/** A text of SQL. */
function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function time(ms: number): string {
  return `TIMESTAMP('${new Date(ms).toISOString()}')`;
}

function within(deployment: string, fromMs: number, toMs: number): string {
  return `resource.labels.service_name = ${literal(deployment)} AND timestamp >= ${time(fromMs)} AND timestamp < ${time(toMs)}`;
}

/** SQL that counts entries by severity and step; its rows are `CountRow`s. */
export function countSql(deployment: string, severity: Severity, fromMs: number, toMs: number): string {
  const stepSeconds = chooseStep(toMs - fromMs) / 1_000;
  const wanted = SEVERITY_ORDER.slice(SEVERITY_ORDER.indexOf(severity));
  const only = severity === 'DEFAULT' ? '' : ` AND severity IN (${wanted.map(literal).join(', ')})`;
  return `SELECT FLOOR(UNIX_SECONDS(timestamp) / ${stepSeconds}) * ${stepSeconds} AS at, severity, COUNT(*) AS n FROM logs WHERE ${within(deployment, fromMs, toMs)}${only} GROUP BY 1, 2`;
}

/** SQL that answers all there is of the entry of a timestamp: of the entries of its millisecond, the one of its id. */
export function entrySql(deployment: string, timestamp: string): string {
  const ms = Date.parse(timestamp);
  return `SELECT * FROM logs WHERE ${within(deployment, ms, ms + 1)} AND ends_with(insert_id, ${literal(idSuffix(timestamp))})`;
}

/** What the `insertId` of an entry ends with: the nanoseconds of its timestamp, in base 36. */
function idSuffix(timestamp: string): string {
  const [, seconds = '', digits = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(timestamp) ?? [];
  const nanoseconds = BigInt(Date.parse(`${seconds}Z`)) * 1_000_000n + BigInt(digits.padEnd(9, '0') || 0);
  return nanoseconds.toString(36);
}

/** SQL that answers paths into JSON payloads, and what stands there; its rows are `{path, value}`. */
export function payloadSql(deployment: string, fromMs: number, toMs: number): string {
  return `SELECT fullkey AS path, MIN(atom) AS value, COUNT(*) AS n FROM (SELECT json_payload FROM logs WHERE ${within(deployment, fromMs, toMs)} AND json_payload IS NOT NULL LIMIT 2000) AS seen, json_tree(seen.json_payload) WHERE atom IS NOT NULL GROUP BY fullkey, atom ORDER BY n DESC LIMIT 500`;
}

/** Fields of entries, and values that they were seen with. */
export type KnownFields = ReadonlyMap<string, readonly string[]>;

const VALUES_MOST = 20;

/** What {@link payloadSql} answered, by the filter language's names of fields. */
export function readKnownFields(rows: readonly SqlRow[]): KnownFields {
  const known = new Map<string, string[]>();
  for (const { path, value } of rows) {
    // Of a list, one element that fits is enough: its places are no fields of their own.
    const field = `jsonPayload${String(path)
      .slice(1)
      .replaceAll(/\[\d+\]/g, '')}`;
    const values = known.get(field) ?? [];
    known.set(field, values);
    if (values.length < VALUES_MOST && !values.includes(String(value))) values.push(String(value));
  }
  return known;
}
