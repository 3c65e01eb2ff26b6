import { createStore, useStore } from '@berth/ui/store';
import { type ComponentType, useEffect } from 'react';

/** A component whose code is loaded on demand and rendered in the same tick once loaded; React's `lazy` would suspend again. */
export function createLateView<Props>(load: () => Promise<ComponentType<Props>>) {
  const view = createStore<ComponentType<Props> | undefined>(undefined);
  let isLoading = false;
  const prepare = () => {
    if (isLoading) return;
    isLoading = true;
    load().then(view.set, () => {
      isLoading = false;
    });
  };
  return {
    /** Starts loading the component. A failed load is retried on the next call. */
    prepare,
    /** Loads and returns the component; undefined until it is loaded. */
    useView(): ComponentType<Props> | undefined {
      // biome-ignore lint/correctness/useExhaustiveDependencies: the same for good
      useEffect(prepare, []);
      return useStore(view);
    },
  };
}
