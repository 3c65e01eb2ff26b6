import type { AgentStores } from '../ports/agent-stores.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { BeginRun } from '../ports/run-store.ts';

/** Base time of the tests. */
export const NOW_MS = Date.UTC(2026, 0, 1);

/** Stores with two owners that have no data yet. */
export interface StoreFixture {
  readonly stores: AgentStores;
  readonly ann: OwnerKey;
  readonly bob: OwnerKey;
  /** Returns the start of a run of ann in chat `c1`, with a message to store. */
  beginOf(changes?: Partial<BeginRun>): BeginRun;
}

let count = 0;

/** Creates a fixture with two new owners. */
export function createStoreFixture(stores: AgentStores): StoreFixture {
  const number = ++count;
  const ann = `ann-${number}` as OwnerKey;
  let runs = 0;
  return {
    stores,
    ann,
    bob: `bob-${number}` as OwnerKey,
    beginOf: (changes = {}) => ({
      id: `run-${number}-${++runs}`,
      owner: ann,
      chatId: 'c1',
      instance: `one-${number}`,
      nowMs: NOW_MS,
      staleBeforeMs: NOW_MS - 30_000,
      message: { message: { role: 'user', content: 'hello' }, title: 'hello' },
      ...changes,
    }),
  };
}
