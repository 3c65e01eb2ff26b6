import { createSilentLogger, createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createTemporaryStore, printed, SCOPE } from '../testing/temporary-store.ts';
import { parseFilter } from './filter/parse-filter.ts';

test('a filter reads all local segments after the first in one request, in both directions and page by page', {
  timeout: 60_000,
}, async () => {
  const requests: number[] = [];
  await using temporary = await createTemporaryStore({
    limits: { segmentBytes: 2_000 },
    createEngine() {
      const engine = createLogEngine({ clock: createSystemClock(), logger: createSilentLogger(), threads: 1 });
      return {
        ...engine,
        select(request, signal) {
          requests.push(request.files.length);
          return engine.select(request, signal);
        },
      };
    },
  });
  const { store } = temporary;
  const all = Array.from({ length: 160 }, (_, n) => `${n % 4 === 0 ? 'even' : 'odd'} ${n} ${'x'.repeat(200)}`);
  for (const message of all) {
    await store.append(SCOPE, printed(message));
    await store.flush();
  }
  const parquetFiles = async () => (await temporary.segments()).filter((path) => path.endsWith('.parquet')).length;
  const lineFiles = async () => (await temporary.segments()).length - (await parquetFiles());
  await expect.poll(lineFiles, { timeout: 20_000 }).toBe(1);
  const filter = parseFilter('even');
  if (!filter) throw new Error('no filter');
  const even = all.filter((message) => message.startsWith('even'));
  const ask = async (limit: number, since?: string) => {
    requests.length = 0;
    return await store.read(SCOPE, { limit, filter, ...(since === undefined ? {} : { since }) });
  };

  const rest = (await parquetFiles()) - 1;
  expect(rest).toBeGreaterThan(16);
  expect((await ask(100)).map((entry) => entry.message)).toEqual(even);
  expect(requests).toEqual([1, rest]);
  expect((await ask(100, '1970-01-01T00:00:00Z')).map((entry) => entry.message)).toEqual(even);
  expect(requests).toEqual([1, rest]);
  // The first segment has enough.
  expect((await ask(1, '1970-01-01T00:00:00Z')).map((entry) => entry.message)).toEqual(even.slice(0, 1));
  expect(requests).toEqual([1]);

  const pages: string[] = [];
  for (let since = '1970-01-01T00:00:00Z'; ; ) {
    const page = await ask(3, since);
    pages.push(...page.map((entry) => entry.message));
    const last = page.at(-1);
    if (!last) break;
    since = last.timestamp;
  }
  expect(pages).toEqual(even);
  expect((await ask(3)).map((entry) => entry.message)).toEqual(even.slice(-3));
});
