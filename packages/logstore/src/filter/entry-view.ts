import type { LogScope, StoredEntry } from '../log-store.ts';
import type { NumberField, ObjectName, TextField, TextName } from './filter-field.ts';

/** What every deployment's `resource.type` is: the name that filters and queries for such services have elsewhere. */
export const RESOURCE_TYPE = 'cloud_run_revision';

/** The fields of an entry as a filter names them; undefined where the entry has none. */
export interface EntryView {
  readonly entry: StoredEntry;
  text(field: TextField): string | undefined;
  number(field: NumberField): number | undefined;
  object(name: ObjectName): unknown;
  /** The value at a path of the JSON payload; for the empty path the payload. */
  payload(path: readonly string[]): unknown;
}

export function viewEntry(entry: StoredEntry, scope: LogScope): EntryView {
  const { httpRequest: http, jsonPayload, labels } = entry;
  return {
    entry,
    text: (field) => (field.type === 'label' ? ownValue(labels, field.key) : readText(entry, scope, field.name)),
    number(field) {
      if (field.type === 'coldStart') return asNumber(ownValue(http?.coldStart, field.part));
      return http?.[field.name];
    },
    object(name) {
      if (name === 'labels') return labels;
      return name === 'httpRequest' ? http : http?.coldStart;
    },
    payload: (path) => readPath(jsonPayload, path),
  };
}

function readText(entry: StoredEntry, scope: LogScope, name: TextName): string | undefined {
  switch (name) {
    case 'textPayload':
      return entry.jsonPayload || entry.httpRequest ? undefined : entry.message;
    case 'resourceType':
      return RESOURCE_TYPE;
    case 'service':
      return scope.deployment;
    case 'message':
    case 'logName':
    case 'insertId':
    case 'trace':
    case 'revision':
    case 'instance':
      return entry[name];
    default:
      return entry.httpRequest?.[name];
  }
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** As a JSON pointer reads: a name in an object, a place in an array. Source: RFC 6901 section 4. */
function readPath(value: unknown, path: readonly string[]): unknown {
  let current = value;
  for (const segment of path) {
    if (Array.isArray(current)) current = INDEX.test(segment) ? current[Number(segment)] : undefined;
    else current = ownValue(current, segment);
    if (current === undefined) return undefined;
  }
  return current;
}

function ownValue<Value>(holder: Readonly<Record<string, Value>> | unknown, key: string): Value | undefined {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, key)) return undefined;
  return (holder as Record<string, Value>)[key];
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
