import { readStoredList } from '../../../state/read-stored.ts';

/** A past query with its outcome. */
export interface PastQuery {
  readonly query: string;
  /** Start time in epoch milliseconds. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Number of rows; undefined if the query did not complete. */
  readonly rows: number | undefined;
}

/** Queries of an account that were run in this browser, newest first. */
export interface QueryHistory {
  list(): readonly PastQuery[];
  /** Adds a query. One that was run before moves to the top. */
  add(query: PastQuery): void;
  clear(): void;
}

const QUERIES_MOST = 100;
/** Maximum length of a query that is kept. */
const CHARACTERS_MOST = 20_000;

/** Returns the query history of an account in `storage`. */
export function createQueryHistory(
  account: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): QueryHistory {
  const key = `berth.query-history.${account}`;
  const list = () => readStoredList(storage, key, isPastQuery);
  return {
    list,
    add(past) {
      if (past.query.length > CHARACTERS_MOST) return;
      const others = list().filter(({ query }) => query !== past.query);
      try {
        storage.setItem(key, JSON.stringify([past, ...others].slice(0, QUERIES_MOST)));
      } catch {
        // A full or forbidden storage must not keep anyone from running queries.
      }
    },
    clear: () => storage.removeItem(key),
  };
}

function isPastQuery(value: unknown): value is PastQuery {
  const { query, atMs, tookMs } = (value ?? {}) as Partial<PastQuery>;
  return typeof query === 'string' && typeof atMs === 'number' && typeof tookMs === 'number';
}
