import { type ComponentType, useEffect, useSyncExternalStore } from 'react';

/** A component whose code is loaded on demand and rendered in the same tick once loaded; React's `lazy` would suspend again. */
export interface LateView<Props> {
  /** Starts loading the component. A failed load is retried on the next call. */
  prepare(): void;
  /** Loads and returns the component; undefined until it is loaded. */
  useView(): ComponentType<Props> | undefined;
}

export function createLateView<Props>(load: () => Promise<ComponentType<Props>>): LateView<Props> {
  const listeners = new Set<() => void>();
  let view: ComponentType<Props> | undefined;
  let isLoading = false;
  const prepare = () => {
    if (isLoading) return;
    isLoading = true;
    load().then(
      (loaded) => {
        view = loaded;
        for (const listener of listeners) listener();
      },
      () => {
        isLoading = false;
      },
    );
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };
  return {
    prepare,
    useView() {
      // biome-ignore lint/correctness/useExhaustiveDependencies: the same for good
      useEffect(prepare, []);
      return useSyncExternalStore(subscribe, () => view);
    },
  };
}
