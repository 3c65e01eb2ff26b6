import type { SqlRow } from '@berth/contract';
import { writePath } from './filter-by.ts';

/** A value of an entry, with its path in the filter language. */
export interface EntryField {
  readonly path: string;
  readonly depth: number;
  readonly name: string;
  /** Undefined for a field that only contains other fields. */
  readonly value: string | number | boolean | null | undefined;
}

const FIELDS_MOST = 500;
const RENAMED: Readonly<Record<string, string>> = {
  json_payload: 'jsonPayload',
  text_payload: 'textPayload',
  http_request: 'httpRequest',
  log_name: 'logName',
  insert_id: 'insertId',
};

/**
 * Returns the fields of a row of `logs` as a flat list in order, children after their parent. Leaves out absent fields.
 */
export function toEntryFields(row: SqlRow): EntryField[] {
  const fields: EntryField[] = [];
  const visit = (name: string, value: unknown, path: readonly string[], label: string) => {
    if (fields.length >= FIELDS_MOST) return;
    const depth = path.length - 1;
    if (typeof value !== 'object' || value === null) {
      fields.push({ path: writePath(path), depth, name: label, value: value as EntryField['value'] });
      return;
    }
    fields.push({ path: writePath(path), depth, name: label, value: undefined });
    for (const [key, inner] of Object.entries(value)) {
      if (inner === null && name !== 'json_payload') continue;
      visit(name, inner, [...path, key], key);
    }
  };
  for (const [name, value] of Object.entries(row)) {
    // SQL truncates the timestamp's digits; the entry itself has all of them.
    if (name === 'timestamp' || value === null) continue;
    const field = RENAMED[name] ?? name;
    visit(name, value, [field], field);
  }
  return fields;
}
