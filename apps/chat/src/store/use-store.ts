import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** The value of a store, now and after each change. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.get);
}
