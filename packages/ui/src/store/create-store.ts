import { useSyncExternalStore } from 'react';

/** An observable value. It fits React's `useSyncExternalStore` and does not depend on React. */
export interface Store<Value> {
  get(): Value;
  /** Calls `listener` after each change. Returns a function that unsubscribes it. */
  subscribe(listener: () => void): () => void;
}

/** A store that its owner can change. */
export interface WritableStore<Value> extends Store<Value> {
  set(value: Value): void;
  /** Replaces some fields of the value. */
  patch(fields: Partial<Value>): void;
}

/** Creates a store with the value `initial`. Its methods do not use `this`. */
export function createStore<Value>(initial: Value): WritableStore<Value> {
  let current = initial;
  const listeners = new Set<() => void>();
  const set = (value: Value) => {
    if (Object.is(value, current)) return;
    current = value;
    for (const listener of [...listeners]) listener();
  };
  return {
    get: () => current,
    set,
    patch: (fields) => set({ ...current, ...fields }),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the value of a store and renders the component again after each change. It also works outside of a browser. */
export function useStore<Value>({ subscribe, get }: Store<Value>): Value {
  return useSyncExternalStore(subscribe, get, get);
}
