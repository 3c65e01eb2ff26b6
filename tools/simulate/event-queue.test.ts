import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EventQueue } from './event-queue.ts';

test('events come in the order of their times, and of their adding when these are the same', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 20 })), (times) => {
      const events = new EventQueue();
      const seen: [number, number][] = [];
      for (const [index, atMs] of times.entries()) events.at(atMs, (nowMs) => seen.push([nowMs, index]));
      while (events.step());
      const expected = times.map((atMs, index): [number, number] => [atMs, index]);
      expect(seen).toEqual(expected.sort(([a, i], [b, j]) => a - b || i - j));
    }),
  );
});

test('what an event adds comes after it, also when it is meant for the past', () => {
  const events = new EventQueue();
  const seen: string[] = [];
  events.at(10, () => {
    seen.push('first');
    events.at(5, (nowMs) => seen.push(`late, at ${nowMs}`));
    events.at(20, () => seen.push('last'));
  });
  while (events.step());
  expect(seen).toEqual(['first', 'late, at 10', 'last']);
  expect(events.nextAtMs).toBeUndefined();
});
