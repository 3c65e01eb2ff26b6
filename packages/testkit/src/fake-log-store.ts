import type { LogInput, LogScope, LogStore, StoredEntry } from '@berth/logstore';

/** A log store in memory. */
export interface FakeLogStore extends LogStore {
  /** Everything that was appended, in order. */
  entries(scope: LogScope): readonly StoredEntry[];
}

/** @param nowMs wall time of entries that bring none. */
export function createFakeLogStore(nowMs: () => number): FakeLogStore {
  const scopes = new Map<string, StoredEntry[]>();
  let count = 0;
  const of = ({ account, deployment }: LogScope) => {
    const key = `${account}/${deployment}`;
    const entries = scopes.get(key) ?? [];
    scopes.set(key, entries);
    return entries;
  };
  const store = ({ timeMs, ...input }: LogInput): StoredEntry => {
    count++;
    const nanoseconds = String(count % 1_000_000).padStart(6, '0');
    const timestamp = new Date(timeMs ?? nowMs()).toISOString().replace('Z', `${nanoseconds}Z`);
    return { ...input, timestamp, insertId: String(count) };
  };
  return {
    entries: of,
    append(scope, entries) {
      of(scope).push(...entries.map(store));
    },
    async read(scope, { since, limit }) {
      if (since === undefined) return of(scope).slice(-limit);
      // Same precision on both sides, so that text order is time order.
      const start = since.replace(/(\.\d+)?Z$/, (_match, digits = '.') => `${String(digits).padEnd(10, '0')}Z`);
      return of(scope)
        .filter((entry) => entry.timestamp > start)
        .slice(0, limit);
    },
    async *tail(scope) {
      yield* of(scope);
    },
    flush: async () => {},
    close: async () => {},
  };
}
