/** A query that was run, and what became of it. */
export interface PastQuery {
  readonly query: string;
  /** When it was begun, epoch milliseconds. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Undefined where it was not answered. */
  readonly rows: number | undefined;
}

/** Queries of an account that were run in this browser, the last first. */
export interface QueryHistory {
  list(): readonly PastQuery[];
  /** A query that was run before moves to the top. */
  add(query: PastQuery): void;
  clear(): void;
}

const QUERIES_MOST = 100;
/** A longer one is not kept. */
const CHARACTERS_MOST = 20_000;

export function createQueryHistory(
  account: string,
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
): QueryHistory {
  const key = `berth.query-history.${account}`;
  const list = (): PastQuery[] => {
    try {
      const kept: unknown = JSON.parse(storage.getItem(key) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isPastQuery) : [];
    } catch {
      return [];
    }
  };
  return {
    list,
    add(past) {
      if (past.query.length > CHARACTERS_MOST) return;
      const others = list().filter(({ query }) => query !== past.query);
      try {
        storage.setItem(key, JSON.stringify([past, ...others].slice(0, QUERIES_MOST)));
      } catch {
        // A full or forbidden storage keeps nobody from asking.
      }
    },
    clear: () => storage.removeItem(key),
  };
}

function isPastQuery(value: unknown): value is PastQuery {
  const { query, atMs, tookMs } = (value ?? {}) as Partial<PastQuery>;
  return typeof query === 'string' && typeof atMs === 'number' && typeof tookMs === 'number';
}
