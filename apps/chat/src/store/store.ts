/** A value that is read now and listened to. Shaped for React's `useSyncExternalStore`, and free of React. */
export interface Store<Value> {
  get(): Value;
  /** Calls `listener` after each change until what it returns is called. */
  subscribe(listener: () => void): () => void;
}

/** A store that its owner writes. */
export interface WritableStore<Value> extends Store<Value> {
  set(value: Value): void;
  /** Changes some fields of it. */
  patch(fields: Partial<Value>): void;
}

/** Holds `initial` until it is set. The methods need no `this`. */
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
