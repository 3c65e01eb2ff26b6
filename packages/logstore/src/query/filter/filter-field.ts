import { NUMBERS, OBJECTS, TEXTS, type TextName } from './field-table.ts';
import { FilterError, show } from './filter-error.ts';

export type TextField =
  | { readonly type: 'text'; readonly name: TextName }
  | { readonly type: 'label'; readonly key: string };

export type NumberField =
  | { readonly type: 'number'; readonly name: Exclude<keyof typeof NUMBERS, 'latencyMs'> }
  /** In milliseconds; a filter writes it as `"1.5s"`, `"20ms"` or seconds. */
  | { readonly type: 'duration'; readonly name: 'latencyMs' }
  | { readonly type: 'coldStart'; readonly part: string };

/**
 * A field derived from another by `cast(…)` or `regexp_extract(…)`: its text, or what the pattern's group matches in
 * it.
 */
export interface DerivedField {
  readonly type: 'derived';
  readonly of: Extract<FilterField, { type: 'text' | 'label' | 'number' | 'time' | 'severity' | 'payload' }>;
  /** RE2 pattern with one group. */
  readonly pattern?: string;
  /** True for a number: values that can't be parsed as one are missing. */
  readonly isNumber: boolean;
}

export type FilterField =
  | TextField
  | NumberField
  | { readonly type: 'time' }
  | { readonly type: 'severity' }
  | { readonly type: 'payload'; readonly path: readonly string[] }
  | { readonly type: 'object'; readonly name: keyof typeof OBJECTS }
  | DerivedField
  /** A field of log entries elsewhere that no entry has here. */
  | { readonly type: 'absent' };

/** A field that entries here may have. */
export type StoredField = Exclude<FilterField, { type: 'absent' }>;

/** Fields by each of their paths. */
const FIELDS: ReadonlyMap<string, FilterField> = new Map<string, FilterField>([
  ['timestamp', { type: 'time' }],
  ['severity', { type: 'severity' }],
  ...byPath(TEXTS, (name) => ({ type: 'text', name })),
  ...byPath(NUMBERS, (name) => (name === 'latencyMs' ? { type: 'duration', name } : { type: 'number', name })),
  ...byPath(OBJECTS, (name) => ({ type: 'object', name })),
]);

function byPath<Name extends string>(
  table: Readonly<Record<Name, { readonly paths: readonly string[] }>>,
  make: (name: Name) => FilterField,
): (readonly [string, FilterField])[] {
  const names = Object.keys(table) as Name[];
  return names.flatMap((name) => table[name].paths.map((path) => [path, make(name)] as const));
}

/**
 * Fields of log entries that are not stored. Source: LogEntry, HttpRequest and MonitoredResource of the Cloud Logging
 * API.
 */
const ABSENT = new Set([
  ...['receivetimestamp', 'errorgroups', 'apphub', 'apphubsource', 'apphubdestination'],
  ...['location', 'projectid', 'configurationname'].map((name) => `resource.labels.${name}`),
  ...['referer', 'serverip', 'cachehit', 'cachelookup', 'cachevalidatedwithoriginserver', 'cachefillbytes'].map(
    (name) => `httprequest.${name}`,
  ),
]);
/** Objects of which no field is stored. */
const ABSENT_OBJECTS = new Set(['protopayload', 'metadata', 'split']);

/** Fields that JSON lines set under a key of their own, and that stay in the payload. Source: as in lift-fields.ts. */
const IN_PAYLOAD: Readonly<Record<string, string>> = {
  spanid: 'logging.googleapis.com/spanId',
  tracesampled: 'logging.googleapis.com/trace_sampled',
  operation: 'logging.googleapis.com/operation',
  sourcelocation: 'logging.googleapis.com/sourceLocation',
};

/** The key under which a JSON line sets an id of its own. */
export const OWN_INSERT_ID = 'logging.googleapis.com/insertId';

/** The fields that an error message offers; the guide lists the aliases. */
const KNOWN =
  'timestamp, severity, textPayload, jsonPayload.…, message, labels.…, trace, logName, insertId, resource.type, resource.labels.…, httpRequest.…';

/**
 * Returns the field that a path names.
 * @throws FilterError for an unknown field.
 */
export function resolveField(segments: readonly string[], column: number): FilterField {
  if (segments.includes('')) throw new FilterError('a name is missing before or after a dot of the field', column);
  const [first = '', ...rest] = segments;
  const root = normal(first);
  if (root === 'jsonpayload') return { type: 'payload', path: rest };
  const inPayload = Object.hasOwn(IN_PAYLOAD, root) ? IN_PAYLOAD[root] : undefined;
  if (inPayload !== undefined) return { type: 'payload', path: [inPayload, ...rest] };
  if (root === 'labels' && rest.length > 0) return { type: 'label', key: rest.join('.') };
  if (root === 'httprequest' && normal(rest[0] ?? '') === 'coldstart' && rest.length === 2) {
    return { type: 'coldStart', part: rest[1] ?? '' };
  }
  const key = segments.map(normal).join('.');
  const field = FIELDS.get(key);
  if (field) return field;
  if (ABSENT.has(key) || ABSENT_OBJECTS.has(root)) return { type: 'absent' };
  const name = segments.join('.');
  const hint =
    segments.length === 1 ? ` (for a field of your own JSON lines, write jsonPayload.${name.slice(0, 40)})` : '';
  throw new FilterError(`no such field: ${show(name)}; expected one of ${KNOWN}${hint}`, column);
}

function normal(segment: string): string {
  return segment.toLowerCase().replaceAll('_', '');
}
