import { createSilentLogger, createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import type { LogInput } from '../entry/log-entry.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createTemporaryStore, SCOPE } from '../testing/temporary-store.ts';
import { parseFilter } from './filter/parse-filter.ts';

/** An entry every 250 ms. */
const STEP_MS = 250;
const ENTRIES = 400;

function entry(n: number, timeMs: number): LogInput {
  const isError = n % 7 === 0;
  const jsonPayload = { n, user: `u-${n % 5}` };
  return { logName: 'stdout', severity: isError ? 'ERROR' : 'INFO', message: `entry ${n}`, jsonPayload, timeMs };
}

test('entries of parquet and of lines are counted and surveyed as one log', { timeout: 60_000 }, async () => {
  await using temporary = await createTemporaryStore({
    limits: { segmentBytes: 4_000 },
    createEngine: () => createLogEngine({ clock: createSystemClock(), logger: createSilentLogger(), threads: 1 }),
  });
  const { clock, catalogue } = temporary;
  const startMs = clock.nowMs();
  for (let n = 0; n < ENTRIES; n++) {
    clock.setNowMs(startMs + n * STEP_MS);
    await temporary.store.append(SCOPE, [entry(n, clock.nowMs())]);
    if (n % 20 === 0) await temporary.store.flush();
  }
  await expect.poll(async () => (await catalogue.list(SCOPE)).length, { timeout: 30_000 }).toBeGreaterThan(1);
  const numbers = Array.from({ length: ENTRIES }, (_, n) => n);
  const untilMs = startMs + ENTRIES * STEP_MS;
  const span = { fromMs: startMs, untilMs };
  for (const [query, fits] of [
    ['', () => true],
    ['severity=ERROR', (n) => n % 7 === 0],
    ['jsonPayload.user="u-3" AND jsonPayload.n>=90', (n) => n % 5 === 3 && n >= 90],
  ] as readonly (readonly [string, (n: number) => boolean])[]) {
    const filter = parseFilter(query);
    const where = filter ? { filter } : {};
    // Parts that end within an entry's time, at one, and a span that begins and ends inside the log.
    for (const [fromMs, buckets] of [
      [startMs, 7],
      [startMs + 20_001, 4],
    ] as const) {
      const counts = await temporary.store.count(SCOPE, { fromMs, untilMs, ...where, buckets, budgetMs: 60_000 });
      const expected = Array.from({ length: buckets }, (): Record<string, number> => ({}));
      for (const n of numbers.filter(fits)) {
        const timeMs = startMs + n * STEP_MS;
        const of =
          timeMs < fromMs ? undefined : expected[Math.floor((timeMs - fromMs) / ((untilMs - fromMs) / buckets))];
        const severity = n % 7 === 0 ? 'ERROR' : 'INFO';
        if (of) of[severity] = (of[severity] ?? 0) + 1;
      }
      expect([query, counts]).toEqual([query, { buckets: expected }]);
    }
    const survey = await temporary.store.survey(SCOPE, { ...span, ...where });
    const fitting = numbers.filter(fits);
    expect([survey.entries, survey.isSampled]).toEqual([fitting.length, false]);
    expect(survey.fields.find(({ name }) => name === 'jsonPayload.user')?.entries).toBe(fitting.length);
  }

  // Where the time has run out, what was counted is told, and up to when.
  const none = await temporary.store.count(SCOPE, { ...span, buckets: 1, budgetMs: 0 });
  const counted = Object.values(none.buckets[0] ?? {}).reduce((sum, count) => sum + count, 0);
  const countedUntilMs = Date.parse(none.countedUntil ?? '');
  expect(counted).toBeLessThan(ENTRIES);
  expect(counted).toBe(numbers.filter((n) => startMs + n * STEP_MS <= countedUntilMs).length);
});
