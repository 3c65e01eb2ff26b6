import type { Clock } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import type { LogInput, LogScope } from '../entry/log-entry.ts';
import type { LogStore, ReadOptions } from '../ports/log-store.ts';
import type { LogFilter } from '../query/filter/log-filter.ts';
import { parseFilter } from '../query/filter/parse-filter.ts';

const SCOPE: LogScope = { account: 'acme', deployment: 'shop' };

/** The tests of reading and following through a filter; `open` as in the harness. */
export function describeFilter(open: (clock?: Clock) => Promise<LogStore>): void {
  describe('filter', () => {
    test('the limit counts entries that fit, from both ends', async () => {
      const store = await open();
      await store.append(SCOPE, numbered(0, 500));
      const filter = filterOf('jsonPayload.tens=0 OR severity=ERROR');
      expect(await numbers(store, { limit: 3, filter })).toEqual([480, 490, 499]);
      expect(await numbers(store, { limit: 3, filter, since: '1970-01-01T00:00:00Z' })).toEqual([0, 10, 20]);
      const all = await store.read(SCOPE, { limit: 1000 });
      const since = all[481]?.timestamp ?? '';
      expect(await numbers(store, { limit: 1000, filter, since })).toEqual([490, 499]);
      expect(await numbers(store, { limit: 9, filter: filterOf('jsonPayload.n=1000') })).toEqual([]);
    });

    test('following the cursor meets every entry that fits once', async () => {
      const store = await open();
      await store.append(SCOPE, numbered(0, 300));
      const filter = filterOf('jsonPayload.tens=(3 OR 7)');
      const met: number[] = [];
      for (let since = '1970-01-01T00:00:00Z'; ; ) {
        const page = await store.read(SCOPE, { limit: 7, since, filter });
        if (page.length === 0) break;
        met.push(...page.map((entry) => Number(entry.message)));
        since = page.at(-1)?.timestamp ?? since;
      }
      const expected = Array.from({ length: 300 }, (_, n) => n).filter((n) => n % 10 === 3 || n % 10 === 7);
      expect(met).toEqual(expected);
    });

    test('a tail gives what fits of the past and of what comes', async () => {
      const store = await open();
      await store.append(SCOPE, numbered(0, 20));
      const end = new AbortController();
      const tail = store.tail(SCOPE, {
        since: '1970-01-01T00:00:00Z',
        filter: filterOf('jsonPayload.tens=5'),
        signal: end.signal,
      });
      const met: number[] = [];
      for await (const entry of tail) {
        met.push(Number(entry.message));
        if (met.length === 2) await store.append(SCOPE, numbered(20, 20));
        if (met.length === 4) end.abort();
      }
      expect(met).toEqual([5, 15, 25, 35]);
    });

    test("the names of the log's own deployment are known to it", async () => {
      const store = await open();
      await store.append(SCOPE, numbered(0, 1));
      const [entry] = await store.read(SCOPE, { limit: 1 });
      const filter = filterOf(`resource.labels.service_name=shop AND insertId="${entry?.insertId}"`);
      expect(await numbers(store, { limit: 9, filter })).toEqual([0]);
    });
  });
}

function filterOf(text: string): LogFilter {
  const filter = parseFilter(text);
  if (!filter) throw new Error(`${text} is empty`);
  return filter;
}

/** Entries whose message and payload tell their number; the 500th is an error. */
function numbered(from: number, count: number): LogInput[] {
  return Array.from({ length: count }, (_, index) => {
    const n = from + index;
    return {
      logName: 'stdout',
      severity: n === 499 ? 'ERROR' : 'INFO',
      message: String(n),
      jsonPayload: { n, tens: n % 10 },
    };
  });
}

async function numbers(store: LogStore, options: ReadOptions): Promise<number[]> {
  return (await store.read(SCOPE, options)).map((entry) => Number(entry.message));
}
