import type { Clock } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import type { LogInput, LogScope } from '../entry/log-entry.ts';
import type { LogStore, SpanOptions } from '../ports/log-store.ts';
import { parseFilter } from '../query/filter/parse-filter.ts';
import { createMovableClock } from '../testing/movable-clock.ts';

const SCOPE: LogScope = { account: 'acme', deployment: 'shop' };
const START_MS = Date.parse('2026-01-31T00:00:00Z');
const MINUTE_MS = 60_000;

/** The tests of counting entries and of telling their fields; `open` as in the harness. */
export function describeCounts(open: (clock?: Clock) => Promise<LogStore>): void {
  /** A store with 100 entries a minute for three minutes, of which every tenth is an error. */
  async function openFilled(): Promise<LogStore> {
    const clock = createMovableClock(START_MS);
    const store = await open(clock);
    for (let minute = 0; minute < 3; minute++) {
      clock.setNowMs(START_MS + minute * MINUTE_MS);
      await store.append(SCOPE, hundred(minute));
    }
    return store;
  }

  describe('counts', () => {
    test('every entry of the span is counted once, by part and severity', async () => {
      const store = await openFilled();
      const count = async (span: SpanOptions, buckets: number) =>
        store.count(SCOPE, { ...span, buckets, budgetMs: 60_000 });
      const minute = { INFO: 90, ERROR: 10 };
      expect(await count(spanOf(-1, 4), 5)).toEqual({ buckets: [{}, minute, minute, minute, {}] });
      // Its end is not part of it, its beginning is.
      expect(await count(spanOf(1, 2), 1)).toEqual({ buckets: [minute] });
      const fromMs = START_MS + MINUTE_MS + 1;
      expect(await count({ fromMs, untilMs: START_MS + 9 * MINUTE_MS }, 1)).toEqual({ buckets: [minute] });
      expect(await count({ fromMs: 0, untilMs: 8e15 }, 2)).toEqual({ buckets: [{ INFO: 270, ERROR: 30 }, {}] });
      expect(await count(spanOf(5, 6), 2)).toEqual({ buckets: [{}, {}] });
      const filtered = { ...spanOf(0, 3), ...filterOf('severity>=ERROR AND jsonPayload.n<50') };
      expect(await count(filtered, 3)).toEqual({ buckets: [{ ERROR: 5 }, { ERROR: 5 }, { ERROR: 5 }] });
    });

    test('another log, and one that was never written, have none', async () => {
      const store = await openFilled();
      const options = { ...spanOf(0, 3), buckets: 1, budgetMs: 60_000 };
      for (const scope of [
        { ...SCOPE, deployment: 'blog' },
        { ...SCOPE, account: 'rival' },
      ]) {
        expect(await store.count(scope, options)).toEqual({ buckets: [{}] });
        expect(await store.survey(scope, options)).toEqual({ entries: 0, isSampled: false, fields: [] });
      }
    });
  });

  describe('survey', () => {
    test('fields and their values are told as the filter language writes them, most frequent first', async () => {
      const store = await openFilled();
      const { entries, isSampled, fields } = await store.survey(SCOPE, spanOf(0, 2));
      expect([entries, isSampled]).toEqual([200, false]);
      const of = (name: string) => fields.find((field) => field.name === name);
      expect(of('severity')).toEqual({
        name: 'severity',
        entries: 200,
        hasMore: false,
        values: [
          { value: 'INFO', entries: 180 },
          { value: 'ERROR', entries: 20 },
        ],
      });
      expect(of('resource.labels.revision_name')?.values).toEqual([
        { value: 'r0', entries: 100 },
        { value: 'r1', entries: 100 },
      ]);
      expect(of('labels.team')?.values).toEqual([{ value: 'pay', entries: 200 }]);
      expect(of('jsonPayload."a b"')?.values).toEqual([{ value: true, entries: 200 }]);
      expect(of('jsonPayload.user.id')?.values[0]).toEqual({ value: 'u-0', entries: 68 });
      // An element of a list is enough for a filter, and an entry counts once.
      expect(of('jsonPayload.tags')).toMatchObject({ entries: 200, values: [{ value: 'x', entries: 200 }] });
      expect(of('jsonPayload.n')).toMatchObject({ entries: 200, hasMore: false });
      for (const { name } of fields) expect(() => parseFilter(`${name}="x"`), name).not.toThrow(/no such field/);
    });

    test('of entries that fit, within the span', async () => {
      const store = await openFilled();
      const { entries, fields } = await store.survey(SCOPE, { ...spanOf(1, 2), ...filterOf('severity>=ERROR') });
      expect(entries).toBe(10);
      expect(fields.find(({ name }) => name === 'resource.labels.revision_name')?.values).toEqual([
        { value: 'r1', entries: 10 },
      ]);
    });
  });
}

function spanOf(fromMinute: number, untilMinute: number): SpanOptions {
  return { fromMs: START_MS + fromMinute * MINUTE_MS, untilMs: START_MS + untilMinute * MINUTE_MS };
}

function filterOf(text: string): Pick<SpanOptions, 'filter'> {
  const filter = parseFilter(text);
  return filter ? { filter } : {};
}

function hundred(minute: number): LogInput[] {
  return Array.from({ length: 100 }, (_, n) => ({
    logName: 'stdout',
    severity: n % 10 === 0 ? 'ERROR' : 'INFO',
    message: `entry ${n}`,
    jsonPayload: { n, 'a b': true, user: { id: `u-${n % 3}` }, tags: ['x', 'x'] },
    labels: { team: 'pay' },
    revision: `r${minute}`,
  }));
}
