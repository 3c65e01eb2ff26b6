import { createStore } from '@berth/ui/store';
import { act } from 'react';
import type { DeployRun, DeployState } from '../features/deploys/state/create-deploy-run.ts';

const BEGUN: DeployState = {
  ...{ name: 'shop', phase: 'sending', deployId: undefined, sent: undefined, stages: [], lines: [], lineCount: 0 },
  ...{ url: undefined, failure: undefined, error: undefined, isReconnecting: false },
};

/**
 * Returns a deploy of the tab that goes on as the test says. `done` has what was asked of it: `begin` with what the function
 * that opens the events returned, `follow` with the name and the id, or the name of the method.
 */
export function createFakeRun(first?: Partial<DeployState>) {
  const store = createStore<DeployState | undefined>(first && { ...BEGUN, ...first });
  const done: unknown[] = [];
  let cancel: () => Promise<void> = async () => {};
  const run: DeployRun = {
    get state() {
      return store.get();
    },
    subscribe: store.subscribe,
    begin(name, open) {
      const { signal } = new AbortController();
      done.push(['begin', name, open({ signal, onReconnect() {}, onProgress() {} })]);
      store.set({ ...BEGUN, name });
    },
    follow: (name, id) => void done.push(['follow', name, id]),
    resume: () => void done.push('resume'),
    cancel() {
      done.push('cancel');
      return cancel();
    },
    dismiss: () => void done.push('dismiss'),
  };
  return {
    run,
    done,
    change: (changes: Partial<DeployState>) => act(async () => store.set({ ...(store.get() ?? BEGUN), ...changes })),
    onCancel: (next: () => Promise<void>) => {
      cancel = next;
    },
  };
}
