import type { AppDataStore, AppRow, OwnerKey } from '@berth/agent-store';
import type { Who } from './parse-who.ts';

/** The number of rows read at once; 50 MB when all have the maximum size. */
const BATCH = 50;
/** The size of a page, which ends after the row that exceeds it. */
const PAGE_BYTES = 4 * 1_048_576;

/** A request for one page of an app's rows. */
export interface ListAppRows {
  readonly owner: OwnerKey;
  readonly slug: string;
  readonly who: Who;
  readonly prefix: string;
  readonly limit: number;
  readonly cursor: string | undefined;
}

/** One page of an app's rows. */
export interface AppRowsPage {
  readonly rows: readonly (AppRow & { readonly who: string })[];
  /** The cursor of the next page; undefined on the last page. */
  readonly next: string | undefined;
}

/** Returns a page of rows, bounded by the number of rows and by bytes. */
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

/** Returns the last key, so clients can build a cursor themselves. For all users' rows, a NUL and the row's owner follow. */
function formatCursor(row: { readonly key: string; readonly who: string } | undefined, who: Who): string | undefined {
  if (row === undefined) return undefined;
  return who === undefined ? `${row.key}\0${row.who}` : row.key;
}

function parseCursor(cursor: string | undefined): { readonly key: string; readonly who: string } | undefined {
  if (cursor === undefined) return undefined;
  const [key = '', who] = cursor.split('\0');
  // A cursor without an owner continues after all rows of its key.
  return { key, who: who ?? '\u{10ffff}' };
}
