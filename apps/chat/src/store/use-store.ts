import { useSyncExternalStore } from 'react';
import type { Store } from './store.ts';

/** Returns the value of a store and renders the component again after each change. It also works outside of a browser. */
export function useStore<Value>({ subscribe, get }: Store<Value>): Value {
  return useSyncExternalStore(subscribe, get, get);
}
