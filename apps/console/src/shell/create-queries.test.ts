import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import type { SessionState } from '../api/create-session.ts';
import { createQueries } from './create-queries.ts';

/** A cache with one answer in it, and the session that it follows. */
function setup(first: SessionState = 'signed-in') {
  const listeners = new Set<() => void>();
  const session = {
    state: first,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const queries = createQueries(session);
  queries.setQueryData(['user'], 'Ada');
  return {
    queries,
    become(...states: readonly SessionState[]) {
      for (const state of states) {
        session.state = state;
        for (const listener of listeners) listener();
      }
    },
    isStale: () => queries.getQueryState(['user'])?.isInvalidated,
  };
}

// Fails when the cache outlives a sign-out: the next person would see the account of the one before.
test('nothing is left of who signed out', () => {
  const { queries, become } = setup();
  become('signed-out');
  expect(queries.getQueryCache().getAll()).toEqual([]);
});

test('an expired session keeps what is shown, and reads it anew once its person is back', () => {
  const { queries, become, isStale } = setup();
  become('expired');
  expect([queries.getQueryData(['user']), isStale()]).toEqual(['Ada', false]);
  become('signed-in');
  expect([queries.getQueryData(['user']), isStale()]).toEqual(['Ada', true]);
});

test('a first sign-in has nothing to read anew', () => {
  const { become, isStale } = setup('unknown');
  become('signed-in');
  expect(isStale()).toBe(false);
});

test('only a platform that is away is asked again by itself', () => {
  const { refetchInterval, retry } = setup().queries.getDefaultOptions().queries ?? {};
  if (typeof refetchInterval !== 'function') throw new Error('no interval');
  const after = (error: unknown) => refetchInterval({ state: { error } } as never);
  const failed = (code: string, status: number) => new BerthError({ code, status, message: code });
  expect(after(failed('unavailable', 503))).toBe(5_000);
  expect([after(failed('forbidden', 403)), after(null), retry]).toEqual([false, false, false]);
});
