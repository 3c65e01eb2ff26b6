import { expect, test } from 'vitest';
import { findMisses, type Journey, p95Of, renderTable } from './report.ts';

const journey = (changes: Partial<Journey> = {}): Journey => ({
  ...{ name: 'logs', tookMs: 900, isFirstRow: true, taskCpuMs: 99, taskMs: 400, interactionsMs: [16] },
  ...changes,
});

test('the 95th percentile is the nearest rank', () => {
  expect(p95Of(Array.from({ length: 20 }, (_, index) => index + 1))).toBe(19);
  expect(p95Of([])).toBe(0);
});

// Fails when a page over a limit, a journey that never arrived, or a run that measured nothing passes.
test('each limit is judged', () => {
  expect(findMisses([journey()])).toEqual([]);
  expect(findMisses([journey({ tookMs: 1_001 })])).toEqual(['logs: first row after 1001 ms.']);
  expect(findMisses([journey({ tookMs: 1_001, isFirstRow: false })])).toEqual([]);
  expect(findMisses([journey({ taskCpuMs: 101 })])).toEqual(['logs: a task of 101 ms.']);
  expect(findMisses([journey({ interactionsMs: [101] })])).toEqual(['Interaction to next paint: p95 101 ms.']);
  expect(findMisses([journey({ failure: 'no row' })])).toEqual(['logs: failed: no row']);
  expect(findMisses([])).toEqual(['No journey was measured.']);
});

test('the table has a row for each journey and one for all interactions', () => {
  const lines = renderTable([journey(), journey({ name: 'audit', taskCpuMs: 300 })]).split('\n');
  expect(lines.map((line) => /pass$|FAIL$/.exec(line)?.[0])).toEqual([undefined, 'pass', 'FAIL', 'pass']);
});
