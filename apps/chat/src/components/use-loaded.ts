import { createStore, type Store, useStore } from '@berth/ui/store';
import { useEffect, useState } from 'react';

/** The state of a load. Both fields are undefined until the first load ends. */
export interface Loaded<Value> {
  /** The latest value; a failed reload keeps it. */
  readonly value?: Value | undefined;
  /** The error of the latest load, or of the change before it. */
  readonly error?: unknown;
}

/** A value that is loaded again after changes. Its methods never reject. */
export interface Loader<Value> {
  readonly state: Store<Loaded<Value>>;
  load(read: () => Promise<Value>): Promise<void>;
  /** Waits for a change of the value and loads it again, even when the change failed. */
  change(work: Promise<unknown>, read: () => Promise<Value>): Promise<void>;
  /** Ignores the load that is running. */
  stop(): void;
}

/** Creates a loader without a value. */
export function createLoader<Value>(): Loader<Value> {
  const state = createStore<Loaded<Value>>({});
  /** Number of the latest load: responses may arrive in any order. */
  let latest = 0;
  const load = async (read: () => Promise<Value>, problem?: unknown) => {
    const mine = ++latest;
    try {
      const value = await read();
      if (mine === latest) state.set({ value, error: problem });
    } catch (error) {
      if (mine === latest) state.patch({ error });
    }
  };
  return {
    state,
    load: (read) => load(read),
    async change(work, read) {
      state.patch({ error: undefined });
      await work.then(
        () => load(read),
        (error: unknown) => load(read, error),
      );
    },
    stop: () => void latest++,
  };
}

/**
 * Loads a value when the component mounts and whenever `read` changes. Returns the value or the error; `reload`; and
 * `change`, which reloads the value after a change of it.
 * @param read must be the same function on each render; undefined loads nothing
 */
export function useLoaded<Value>(read: (() => Promise<Value>) | undefined) {
  const [loader] = useState(() => createLoader<Value>());
  useEffect(() => {
    if (read) void loader.load(read);
    return loader.stop;
  }, [loader, read]);
  return {
    ...useStore(loader.state),
    reload: async () => await (read && loader.load(read)),
    change: async (work: Promise<unknown>) => await (read && loader.change(work, read)),
  };
}
