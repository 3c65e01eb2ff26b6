import { expect, test } from 'vitest';
import { createStore } from './create-store.ts';

// Fails when `become` calls the listeners before it replaces the value.
test('listeners see the new value', () => {
  const store = createStore(1);
  const seen: number[] = [];
  store.subscribe(() => seen.push(store.state));
  store.become(2);
  store.become(3);
  expect(seen).toEqual([2, 3]);
});

// Fails when the returned function doesn't remove its listener.
test('a listener that ended its subscription is called no more', () => {
  const store = createStore('a');
  const calls: string[] = [];
  const end = store.subscribe(() => calls.push('first'));
  store.subscribe(() => calls.push('second'));
  end();
  end();
  store.become('b');
  expect(calls).toEqual(['second']);
});

// Fails when the listeners are called from the set itself, which grows while it is walked.
test('a listener may subscribe and unsubscribe others during a change', () => {
  const store = createStore(0);
  const calls: string[] = [];
  const endOld = store.subscribe(() => calls.push('old'));
  store.subscribe(() => {
    calls.push('switch');
    endOld();
    if (calls.length < 10) store.subscribe(() => calls.push('new'));
  });
  store.become(1);
  expect(calls).toEqual(['old', 'switch']);
  store.become(2);
  expect(calls).toEqual(['old', 'switch', 'switch', 'new']);
});

// Fails when `become` skips values that are equal.
test('every call of become is a change', () => {
  const store = createStore({ n: 1 });
  let calls = 0;
  store.subscribe(() => calls++);
  store.become(store.state);
  expect(calls).toBe(1);
});
