import { type ComponentType, useEffect, useSyncExternalStore } from 'react';

/** A view whose code comes late, and which is drawn at once when it has come: React's own `lazy` waits once more. */
export interface LateView<Props> {
  /** Begins to load it. What could not be loaded is tried again the next time. */
  prepare(): void;
  /** Loads it, too; undefined until it is there. */
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
