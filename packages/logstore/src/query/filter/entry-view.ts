import type { LogScope, StoredEntry } from '../../entry/log-entry.ts';
import type { NumberField, ObjectName, TextField, TextName } from './filter-field.ts';

/** What every deployment's `resource.type` is: the name that filters and queries for such services have elsewhere. */
export const RESOURCE_TYPE = 'cloud_run_revision';

/** The fields of an entry as a filter names them; undefined where the entry has none. */
export interface EntryView {
  readonly entry: StoredEntry;
  text(field: TextField): string | undefined;
  number(field: NumberField): number | undefined;
  object(name: ObjectName): unknown;
  /** The values at a path of the JSON payload: several where it leads through a list of objects. For the empty path the payload. */
  payload(path: readonly string[]): readonly unknown[];
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
      if (name === 'resourceLabels') return { service_name: scope.deployment };
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

/** A place in an array. Source: RFC 6901 section 4. */
export const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/** A name leads into an object, and into each object of an array; a number to a place in an array. */
function readPath(value: unknown, path: readonly string[]): readonly unknown[] {
  let current = value === undefined ? [] : [value];
  for (const segment of path) {
    current = current.flatMap((one) => {
      if (!Array.isArray(one)) return [ownValue(one, segment)];
      if (INDEX.test(segment)) return [one[Number(segment)]];
      return one.map((element) => (Array.isArray(element) ? undefined : ownValue(element, segment)));
    });
    current = current.filter((one) => one !== undefined);
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
