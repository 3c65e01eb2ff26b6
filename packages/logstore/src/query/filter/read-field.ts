import type { LogScope, StoredEntry } from '../../entry/log-entry.ts';
import { NUMBERS, OBJECTS, TEXTS } from './field-table.ts';
import type { FilterField, NumberField, TextField } from './filter-field.ts';

/** An entry, and the scope of its log. */
export interface ReadEntry {
  readonly entry: StoredEntry;
  readonly scope: LogScope;
}

/** Returns a text; undefined when the entry does not have it. */
export function readText(field: TextField, { entry, scope }: ReadEntry): string | undefined {
  return field.type === 'label' ? ownValue(entry.labels, field.key) : TEXTS[field.name].read(entry, scope);
}

/** Returns a number; undefined when the entry does not have it. */
export function readNumber(field: NumberField, { entry }: ReadEntry): number | undefined {
  if (field.type !== 'coldStart') return NUMBERS[field.name].read(entry);
  const part: unknown = ownValue(entry.httpRequest?.coldStart, field.part);
  return typeof part === 'number' ? part : undefined;
}

/** Returns an object; undefined when the entry does not have it. */
export function readObject({ name }: FilterField & { readonly type: 'object' }, { entry, scope }: ReadEntry): unknown {
  return OBJECTS[name].read(entry, scope);
}

/** An array index. Source: RFC 6901 section 4. */
export const INDEX = /^(?:0|[1-9]\d{0,8})$/;

/**
 * Returns the values at a path of the JSON payload: several when it leads through a list of objects; the payload for
 * the empty path. A name leads into an object, and into each object of an array; a number leads to an element of an
 * array.
 */
export function readPayload(path: readonly string[], { entry }: ReadEntry): readonly unknown[] {
  let current: unknown[] = entry.jsonPayload === undefined ? [] : [entry.jsonPayload];
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
