/** A value that changes, in the shape of React's `useSyncExternalStore`. */
export interface Store<State> {
  readonly state: State;
  /** Calls `listener` after each change. Returns the function that ends this. */
  subscribe(listener: () => void): () => void;
  /** Replaces the value and calls the listeners. */
  become(next: State): void;
}

/** Returns a store whose value is `state`. */
export function createStore<State>(state: State): Store<State> {
  const listeners = new Set<() => void>();
  let current = state;
  return {
    get state() {
      return current;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    become(next) {
      current = next;
      // A listener may end its subscription, or begin another one.
      for (const listener of [...listeners]) listener();
    },
  };
}
