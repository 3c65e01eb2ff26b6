import { expect, it, vi } from 'vitest';
import { createStore } from './create-store.ts';

it('has the value it was given last, and tells its listeners of each change', () => {
  const store = createStore(1);
  const listener = vi.fn();
  store.subscribe(listener);
  store.set(2);
  store.set(3);
  expect(store.get()).toBe(3);
  expect(listener).toHaveBeenCalledTimes(2);
});

// Fails when a listener runs although nothing changed: React would render in a loop.
it('tells nobody of the value it has already', () => {
  const value = { count: 1 };
  const store = createStore(value);
  const listener = vi.fn();
  store.subscribe(listener);
  store.set(value);
  expect(listener).not.toHaveBeenCalled();
});

it('replaces some fields and keeps the others', () => {
  const store = createStore({ name: 'a', count: 1 });
  const before = store.get();
  store.patch({ count: 2 });
  expect(store.get()).toEqual({ name: 'a', count: 2 });
  expect(before).toEqual({ name: 'a', count: 1 });
});

it('tells a listener nothing after it has unsubscribed', () => {
  const store = createStore(1);
  const listener = vi.fn();
  store.subscribe(listener)();
  store.set(2);
  expect(listener).not.toHaveBeenCalled();
});

// Fails when the set of listeners is walked while it changes: the second one is left out or called twice.
it('lets listeners come and go while it tells them', () => {
  const store = createStore(1);
  const heard: string[] = [];
  const stop = store.subscribe(() => {
    heard.push('first');
    stop();
    store.subscribe(() => heard.push('third'));
  });
  store.subscribe(() => heard.push('second'));
  store.set(2);
  expect(heard).toEqual(['first', 'second']);
  store.set(3);
  expect(heard).toEqual(['first', 'second', 'second', 'third']);
});

it('has methods that work without their object', () => {
  const { get, set } = createStore(1);
  set(2);
  expect(get()).toBe(2);
});
