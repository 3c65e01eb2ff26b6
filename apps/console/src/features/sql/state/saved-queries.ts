/** A query that a person kept by name. */
export interface SavedQuery {
  readonly name: string;
  readonly query: string;
}

/** Queries of an account, kept in this browser: the API has no place for them. */
export interface SavedQueries {
  /** By name. */
  list(): readonly SavedQuery[];
  /** Replaces the one of that name. */
  keep(query: SavedQuery): void;
  remove(name: string): void;
}

export function createSavedQueries(account: string, storage: Pick<Storage, 'getItem' | 'setItem'>): SavedQueries {
  const key = `berth.queries.${account}`;
  const list = (): SavedQuery[] => {
    try {
      const kept: unknown = JSON.parse(storage.getItem(key) ?? '[]');
      return Array.isArray(kept) ? kept.filter(isSavedQuery) : [];
    } catch {
      return [];
    }
  };
  const write = (queries: readonly SavedQuery[]) =>
    storage.setItem(key, JSON.stringify(queries.toSorted((one, other) => one.name.localeCompare(other.name))));
  const others = (name: string) => list().filter((one) => one.name !== name);
  return {
    list,
    keep: ({ name, query }) => write([...others(name), { name, query }]),
    remove: (name) => write(others(name)),
  };
}

function isSavedQuery(value: unknown): value is SavedQuery {
  const { name, query } = (value ?? {}) as Partial<SavedQuery>;
  return typeof name === 'string' && typeof query === 'string';
}
