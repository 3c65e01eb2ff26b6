import type { AppDataStore, AppRow, OwnerKey } from '@berth/agent-store';
import type { Who } from './parse-who.ts';

/** Rows that are read at once: of the largest ones, 50 MB. */
const BATCH = 50;
/** A page ends after the row that goes past this. */
const PAGE_BYTES = 4 * 1_048_576;

export interface ListAppRows {
  readonly owner: OwnerKey;
  readonly slug: string;
  readonly who: Who;
  readonly prefix: string;
  readonly limit: number;
  readonly cursor: string | undefined;
}

export interface AppRowsPage {
  readonly rows: readonly (AppRow & { readonly who: string })[];
  /** Where the next page begins; undefined at the end. */
  readonly next: string | undefined;
}

/** A page of rows, bounded in number and in bytes. */
export async function listAppRows(store: AppDataStore, list: ListAppRows): Promise<AppRowsPage> {
  const { owner, slug, who, prefix, limit } = list;
  const rows: (AppRow & { readonly who: string })[] = [];
  let after = parseCursor(list.cursor);
  for (let bytes = 0; ; ) {
    const wanted = Math.min(BATCH, limit + 1 - rows.length);
    const batch = await store.list({ owner, slug, who }, { prefix, ...(after && { after }), limit: wanted });
    for (const row of batch) {
      if (rows.length === limit || bytes >= PAGE_BYTES) return { rows, next: formatCursor(rows.at(-1), who) };
      rows.push(row);
      bytes += row.value.length;
    }
    const last = batch.at(-1);
    if (last === undefined || batch.length < wanted) return { rows, next: undefined };
    after = { key: last.key, who: last.who };
  }
}

/** The last key, so that a client can make one itself; of everybody's rows its owner follows after a NUL. */
function formatCursor(row: { readonly key: string; readonly who: string } | undefined, who: Who): string | undefined {
  if (row === undefined) return undefined;
  return who === undefined ? `${row.key}\0${row.who}` : row.key;
}

function parseCursor(cursor: string | undefined): { readonly key: string; readonly who: string } | undefined {
  if (cursor === undefined) return undefined;
  const [key = '', who] = cursor.split('\0');
  // Without a person: after all rows of that key.
  return { key, who: who ?? '\u{10ffff}' };
}
