import { readStoredList } from '../../../state/read-stored.ts';

/** A query saved under a name. */
export interface SavedQuery {
  readonly name: string;
  readonly query: string;
}

/** Saved queries of an account. They are kept in this browser, because the API does not store them. */
export interface SavedQueries {
  /** Returns the queries sorted by name. */
  list(): readonly SavedQuery[];
  /** Saves a query, replacing one with the same name. */
  keep(query: SavedQuery): void;
  remove(name: string): void;
}

/** Returns the saved queries of an account in `storage`. */
export function createSavedQueries(account: string, storage: Pick<Storage, 'getItem' | 'setItem'>): SavedQueries {
  const key = `berth.queries.${account}`;
  const list = () => readStoredList(storage, key, isSavedQuery);
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
