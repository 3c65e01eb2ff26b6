import type { LogFields } from '@berth/contract';

/** A value of a field, with the number of sampled entries that have it. */
export interface KnownValue {
  /** The value in the filter language. */
  readonly text: string;
  readonly value: string | number | boolean;
  readonly entries: number;
}

/** A field of the entries, with its most frequent values. */
export interface KnownField {
  readonly name: string;
  readonly entries: number;
  readonly values: readonly KnownValue[];
  readonly hasMore: boolean;
}

/** Fields by name, most frequent first. */
export type KnownFields = ReadonlyMap<string, KnownField>;

/** Returns the fields in an API response. */
export function readKnownFields({ fields }: LogFields): KnownFields {
  return new Map(
    fields.map(({ name, entries, values, has_more: hasMore }) => {
      const written = values.map(({ value, entries: count }) => ({
        text: writeValue(name, value),
        value,
        entries: count,
      }));
      return [name, { name, entries, values: written, hasMore }];
    }),
  );
}

/** Returns a value in the filter language. Severities and numbers are not quoted. */
function writeValue(name: string, value: string | number | boolean): string {
  return typeof value !== 'string' || name === 'severity' ? String(value) : JSON.stringify(value);
}
