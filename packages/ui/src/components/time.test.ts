// @vitest-environment happy-dom
import { act, createElement } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mountPart } from '../testing/mount-part.ts';
import { Time } from './time.tsx';

const NOW = '2026-03-01T12:00:00.000Z';
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
  vi.setSystemTime(NOW);
});
afterEach(() => {
  vi.useRealTimers();
});

// Fails when the text is computed once, or an old time keeps a timer that fires each second.
test('a relative time is kept current, and slows down with its age', async () => {
  const view = await mountPart(createElement(Time, { at: NOW }));
  const pass = (ms: number) => act(async () => vi.advanceTimersByTime(ms));
  await pass(5_000);
  expect(view.text()).toBe('5 seconds ago');
  await pass(55_000);
  expect(view.text()).toBe('1 minute ago');
  await pass(60_000);
  expect(view.text()).toBe('2 minutes ago');
  await pass(58 * 60_000 + 3_600_000);
  expect(view.text()).toBe('2 hours ago');
  expect(vi.getTimerCount()).toBe(1);
});

test('a sentence around a relative time is kept current, too', async () => {
  const view = await mountPart(createElement(Time, { at: NOW, says: (ago) => `added ${ago}` }));
  await act(async () => vi.advanceTimersByTime(3_000));
  expect(view.text()).toBe('added 3 seconds ago');
});

test('a time has ISO 8601 in UTC and the browser’s zone as a tooltip', async () => {
  const view = await mountPart(createElement(Time, { at: Date.parse(NOW), look: 'moment' }));
  const [time] = view.document.querySelectorAll('time');
  expect(time?.dateTime).toBe(NOW);
  expect(time?.title).toMatch(/2026.*:00:00.*\n2026-03-01T12:00:00\.000Z$/s);
  expect(time?.textContent).not.toContain('ago');
  expect(vi.getTimerCount()).toBe(0);
});
