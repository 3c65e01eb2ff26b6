import { expect, test } from 'vitest';
import type { LineSegment, ParquetSegment, Segment } from '../ports/segment.ts';
import { type CompactionLimits, planCompaction } from './plan-compaction.ts';

const LIMITS: CompactionLimits = { segmentBytes: 100, maxBytes: 8_000, maxAgeMs: 30 * 86_400_000 };

const time = (minute: number) => `2026-01-31T00:${String(minute).padStart(2, '0')}:00.000000000Z`;

const linesOf = (minute: number, sizeBytes = 100): LineSegment => ({
  ...{ kind: 'lines', path: `/logs/${minute}`, sizeBytes, startsAt: time(minute) },
});

const parquetOf = (minute: number, sizeBytes = 10, store = 's3'): ParquetSegment => ({
  ...{ kind: 'parquet', key: `${minute}`, store, sizeBytes, rows: 1, severities: 1 },
  ...{ startsAt: time(minute), endsAt: time(minute) },
});

const many = (count: number, from = 0, sizeBytes = 10) =>
  Array.from({ length: count }, (_, n) => parquetOf(from + n, sizeBytes));

/** The job's kind, and the minutes of its sources. */
function planOf(segments: readonly Segment[], limits: Partial<CompactionLimits> = {}) {
  const job = planCompaction(segments, { ...LIMITS, ...limits }, 's3');
  return job && [job.from, ...job.sources.map(({ startsAt }) => Number(startsAt.slice(14, 16)))];
}

// Fails when the last segment is taken: it still grows, and entries written meanwhile would be lost with it.
test('the segment that is written to is left alone', () => {
  expect(planOf([])).toBeUndefined();
  expect(planOf([linesOf(0)])).toBeUndefined();
  expect(planOf([...many(7), linesOf(9)])).toBeUndefined();
  expect(planOf([linesOf(0), linesOf(1)])).toEqual(['lines', 0]);
});

// Fails when Parquet is merged first: lines take ten times the room, and more of them come meanwhile.
test('full lines come before merges, the oldest first; an empty segment is none', () => {
  expect(planOf([...many(8), linesOf(20), linesOf(21), linesOf(22)])).toEqual(['lines', 20]);
  // What retention leaves of a log whose entries have all expired: its name carries the newest timestamp.
  expect(planOf([linesOf(0, 0), linesOf(1), linesOf(2)])).toEqual(['lines', 1]);
  expect(planOf([linesOf(0, 0), linesOf(1)])).toBeUndefined();
});

// Fails when others than adjacent ones are merged: the segment between them would be inside the merge, and count as a copy.
test('eight small neighbors become one, the newest that there are', () => {
  expect(planOf([...many(10), linesOf(20)])).toEqual(['parquet', 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(planOf([...many(4), parquetOf(4, 100), ...many(7, 5), linesOf(20)])).toBeUndefined();
  expect(planOf([...many(8), parquetOf(8, 100), ...many(7, 9), linesOf(20)])).toEqual([
    ...['parquet', 0, 1, 2, 3, 4, 5, 6, 7],
  ]);
  expect(planOf([...many(5), linesOf(5, 0), ...many(5, 6), linesOf(20)])).toBeUndefined();
});

// Fails when a merge may grow without end: retention, which removes whole segments, would take much of the log at once.
test('a merge is at most an eighth of what is kept', () => {
  const segments = [...many(8, 0, 99), linesOf(20)];
  expect(planOf(segments, { maxBytes: 8 * 8 * 99 })).toBeDefined();
  expect(planOf(segments, { maxBytes: 8 * 8 * 99 - 8 })).toBeUndefined();
  // Seven minutes from the first entry to the last.
  expect(planOf(segments, { maxAgeMs: 8 * 7 * 60_000 })).toBeDefined();
  expect(planOf(segments, { maxAgeMs: 8 * 7 * 60_000 - 8 })).toBeUndefined();
});

// Fails when segments of a former store are moved before they are merged: each would be written twice.
test('segments of a former store move at last, the newest first, also without lines after them', () => {
  const former = [parquetOf(0, 10, 'fs'), parquetOf(1, 10, 'fs')];
  expect(planOf([...former, parquetOf(2), linesOf(3)])).toEqual(['elsewhere', 1]);
  expect(planOf([parquetOf(0, 10, 'fs')])).toEqual(['elsewhere', 0]);
  expect(planOf([...former, ...many(6, 2), linesOf(20)])).toEqual(['parquet', 0, 1, 2, 3, 4, 5, 6, 7]);
  expect(planOf([parquetOf(2), linesOf(3)])).toBeUndefined();
});
