import type { LogFields } from '@berth/contract';

/** A value that a field was seen with, and in how many of the entries that were looked at. */
export interface KnownValue {
  /** As the filter language writes it. */
  readonly text: string;
  readonly value: string | number | boolean;
  readonly entries: number;
}

export interface KnownField {
  readonly name: string;
  readonly entries: number;
  readonly values: readonly KnownValue[];
  readonly hasMore: boolean;
}

/** Fields of entries by name, the most frequent first. */
export type KnownFields = ReadonlyMap<string, KnownField>;

/** What the API tells of fields. */
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

/** Severities and numbers stand without quotes. */
function writeValue(name: string, value: string | number | boolean): string {
  return typeof value !== 'string' || name === 'severity' ? String(value) : JSON.stringify(value);
}
