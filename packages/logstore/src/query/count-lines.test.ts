import { expect, test } from 'vitest';
import type { LogCounts } from '../ports/log-store.ts';
import { createTemporaryStore, SCOPE } from '../testing/temporary-store.ts';
import { parseFilter } from './filter/parse-filter.ts';

const SEGMENTS = 4;
const PER_SEGMENT = 3_000;
const ENTRIES = SEGMENTS * PER_SEGMENT;

/**
 * A store with an entry each millisecond in four segments of lines, and a clock whose monotonic time goes on by a millisecond
 * each time it is read.
 */
async function openFilled() {
  const temporary = await createTemporaryStore({ limits: { segmentBytes: 1, writeCharacters: 2 ** 30 } });
  const { clock } = temporary;
  const startMs = clock.nowMs();
  await temporary.store.close();
  let elapsedMs = 0;
  const store = temporary.reopenWith({ ...clock, nowMs: () => clock.nowMs(), monotonicMs: () => ++elapsedMs });
  for (let segment = 0; segment < SEGMENTS; segment++) {
    const fromMs = startMs + segment * PER_SEGMENT;
    clock.setNowMs(fromMs + PER_SEGMENT);
    const entries = Array.from({ length: PER_SEGMENT }, (_, n) => ({
      ...({ logName: 'stdout', severity: n === 0 ? 'ERROR' : 'INFO', message: 'x', timeMs: fromMs + n } as const),
    }));
    await store.append(SCOPE, entries);
    await store.flush();
  }
  const span = { fromMs: startMs, untilMs: startMs + ENTRIES, buckets: 1 };
  const count = (budgetMs: number, query = '') => {
    const filter = parseFilter(query);
    return store.count(SCOPE, { ...span, budgetMs, ...(filter ? { filter } : {}) });
  };
  return { temporary, startMs, count };
}

const total = ({ buckets }: LogCounts) =>
  buckets.flatMap((bucket) => Object.values(bucket)).reduce((sum, entries) => sum + entries, 0);

// Fails when `countedUntil` is the beginning of a segment that was counted whole, or absent although nothing was counted:
// whoever shows the counts would say that entries are missing which are in them, or that the log is empty.
test('when the time runs out, exactly the entries up to the time that is told are counted', async () => {
  const { temporary, startMs, count } = await openFilled();
  await using _ = temporary;
  expect(await temporary.segments()).toHaveLength(SEGMENTS);
  const seen = new Set<number>();
  for (const budgetMs of [0, 1, 2, 3, 4, 5, 6, 7, 8, 99]) {
    const counts = await count(budgetMs);
    const untilMs = counts.countedUntil === undefined ? startMs + ENTRIES : Date.parse(counts.countedUntil);
    const before = Math.min(ENTRIES, Math.max(0, untilMs - startMs + 1));
    expect([budgetMs, total(counts)]).toEqual([budgetMs, before]);
    seen.add(total(counts));
  }
  // Within a segment, between two, at the beginning and at the end.
  expect([...seen]).toEqual(expect.arrayContaining([0, 2_000, PER_SEGMENT, ENTRIES]));
});

test('a filter counts what fits, up to the same time', async () => {
  const { temporary, startMs, count } = await openFilled();
  await using _ = temporary;
  expect(await count(1_000, 'severity=ERROR')).toEqual({ buckets: [{ ERROR: SEGMENTS }] });
  const counts = await count(2, 'severity=ERROR');
  const untilMs = Date.parse(counts.countedUntil ?? '');
  expect(total(counts)).toBe(Math.floor((untilMs - startMs) / PER_SEGMENT) + 1);
  expect(total(counts)).toBeLessThan(SEGMENTS);
});
