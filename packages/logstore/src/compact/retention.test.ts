import { readdir, stat } from 'node:fs/promises';
import { createSilentLogger, createSystemClock } from '@berth/kit';
import { describe, expect, test } from 'vitest';
import { createNodeLogFiles } from '../lines/log-files.ts';
import type { LineSegment, ParquetSegment } from '../ports/segment.ts';
import { createLogEngine } from '../processes/log-engine/create-log-engine.ts';
import { createTemporaryStore, printed, SCOPE } from '../testing/temporary-store.ts';
import { planCompaction } from './plan-compaction.ts';

const DAY_MS = 86_400_000;

describe('size', () => {
  test('the oldest segments go, the newest entries stay, and the bound holds', async () => {
    const maxBytes = 20_000;
    await using temporary = await createTemporaryStore({ limits: { maxBytes } });
    const text = 'x'.repeat(100);
    for (let index = 0; index < 500; index++) {
      await temporary.store.append(SCOPE, printed(`${index} ${text}`));
      if (index % 10 === 0) await temporary.store.flush();
    }
    await temporary.store.flush();
    const sizes = await Promise.all((await temporary.segments()).map(async (path) => (await stat(path)).size));
    const total = sizes.reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThanOrEqual(maxBytes);
    expect(total).toBeGreaterThan(maxBytes / 2);
    const messages = await temporary.messages();
    expect(messages.at(-1)).toBe(`499 ${text}`);
    expect(messages[0]).toBe(`${500 - messages.length} ${text}`);
  });

  test('a tail that fell behind what was dropped goes on with the oldest there is', async () => {
    await using temporary = await createTemporaryStore({ limits: { maxBytes: 4000 } });
    const end = new AbortController();
    const since = '1970-01-01T00:00:00Z';
    const tail = temporary.store.tail(SCOPE, { since, signal: end.signal })[Symbol.asyncIterator]();
    await temporary.store.append(SCOPE, printed('first'));
    expect((await tail.next()).value.message).toBe('first');
    for (let index = 0; index < 100; index++) {
      await temporary.store.append(SCOPE, printed(String(index)));
      await temporary.store.flush();
    }
    const next = Number((await tail.next()).value.message);
    expect(next).toBeGreaterThan(0);
    expect((await tail.next()).value.message).toBe(String(next + 1));
    end.abort();
  });
});

test('a read under way reads on in what was dropped', async () => {
  const files = createNodeLogFiles();
  const { openForReading } = files;
  const opening = Promise.withResolvers<void>();
  const dropped = Promise.withResolvers<void>();
  await using temporary = await createTemporaryStore({ limits: { maxBytes: 4000 }, files });
  const { store } = temporary;
  await store.append(SCOPE, printed('first'));
  await store.flush();
  files.openForReading = async (path) => {
    opening.resolve();
    await dropped.promise;
    return openForReading(path);
  };
  const reading = store.read(SCOPE, { limit: 1000 });
  await opening.promise;
  const [first] = await temporary.segments();
  for (let index = 0; index < 100; index++) {
    await store.append(SCOPE, printed(String(index)));
    await store.flush();
  }
  expect(await temporary.segments()).toContain(first);
  dropped.resolve();
  expect((await reading).map((entry) => entry.message)).toEqual(['first']);
  await expect.poll(temporary.segments).not.toContain(first);
});

describe('age', () => {
  test('segments go whole when their last entry is too old, and the cursor never goes back', async () => {
    const limits = { maxAgeMs: 3 * DAY_MS, sweepMs: 5 };
    await using temporary = await createTemporaryStore({ limits });
    const { clock, store } = temporary;
    const startMs = clock.nowMs();
    for (let day = 0; day < 6; day++) {
      clock.setNowMs(startMs + day * DAY_MS);
      await store.append(SCOPE, printed(`day ${day}`));
      await store.flush();
    }
    await expect.poll(temporary.messages).toEqual(['day 2', 'day 3', 'day 4', 'day 5']);
    // Long after the last entry, as for a deployment that was deleted.
    clock.setNowMs(startMs + 60 * DAY_MS);
    await expect.poll(temporary.messages).toEqual([]);
    expect(await temporary.segments()).toHaveLength(1);
    await store.close();
    clock.setNowMs(startMs);
    await temporary.reopen().append(SCOPE, printed('later'));
    const [entry] = await temporary.store.read(SCOPE, { limit: 10 });
    expect(entry?.timestamp.slice(0, 20)).toBe('2026-02-05T00:00:00.');
  });

  test('logs that nobody opened since the start are looked at too, and only their names unless something is old', async () => {
    const limits = { maxAgeMs: DAY_MS, sweepMs: 5 };
    const opened: string[] = [];
    const nodeFiles = createNodeLogFiles();
    const files = {
      ...nodeFiles,
      openForReading: (path: string) => {
        opened.push(path);
        return nodeFiles.openForReading(path);
      },
    };
    await using temporary = await createTemporaryStore({ limits, files });
    const { clock } = temporary;
    await temporary.store.append(SCOPE, printed('old'));
    await temporary.store.flush();
    clock.setNowMs(clock.nowMs() + 2 * DAY_MS);
    const young = { account: 'acme', deployment: 'young' };
    await temporary.store.append(young, printed('young'));
    await temporary.store.close();
    opened.length = 0;
    const [before] = await temporary.segments();
    const store = temporary.reopen();
    await expect.poll(() => readdir(temporary.logFolder)).not.toContain(before?.split('/').at(-1));
    expect(opened.every((path) => path.startsWith(temporary.logFolder))).toBe(true);
    expect(await store.read(young, { limit: 10 })).toHaveLength(1);
  });
});

describe('of an account', () => {
  const GOLD = { account: 'gold', deployment: 'shop' };

  test('segments in Parquet go by what the account’s plan says, of the catalog and of the disk', {
    timeout: 60_000,
  }, async () => {
    const engine = createLogEngine({ clock: createSystemClock(), logger: createSilentLogger(), threads: 1 });
    let days: Record<string, number> = { acme: 30, gold: 30 };
    await using temporary = await createTemporaryStore({
      limits: { segmentBytes: 1_000, sweepMs: 5 },
      maxAgeMsOf: async (account) => (days[account] ?? 1) * DAY_MS,
      createEngine: () => engine,
    });
    const { clock, store, catalogue } = temporary;
    for (let day = 0; day < 4; day++) {
      clock.setNowMs(clock.nowMs() + DAY_MS);
      for (const scope of [SCOPE, GOLD]) await store.append(scope, printed(`day ${day} ${'x'.repeat(1_000)}`));
      await store.flush();
    }
    const rows = async (scope: typeof SCOPE) => (await catalogue.list({ ...scope })).length;
    const messages = async (scope: typeof SCOPE) =>
      (await store.read(scope, { limit: 10 })).map((entry) => entry.message.slice(0, 5));
    await expect.poll(() => Promise.all([rows(SCOPE), rows(GOLD)]), { timeout: 20_000 }).toEqual([3, 3]);
    days = { acme: 2, gold: 30 };
    await expect.poll(() => messages(SCOPE), { timeout: 20_000 }).toEqual(['day 2', 'day 3']);
    const parquet = async () => (await readdir(temporary.logFolder)).filter((name) => name.endsWith('.parquet'));
    await expect.poll(parquet, { timeout: 20_000 }).toHaveLength(1);
    expect(await rows(SCOPE)).toBe(1);
    expect(await messages(GOLD)).toEqual(['day 0', 'day 1', 'day 2', 'day 3']);
  });

  test('segments are not joined over more than an eighth of the time that they are kept', () => {
    const parquet = Array.from({ length: 9 }, (_, day): ParquetSegment => {
      const time = (hour: number) => `2026-01-0${day + 1}T0${hour}:00:00.000000000Z`;
      const names = { kind: 'parquet', key: `${day}`, store: 'fs' } as const;
      return { ...names, startsAt: time(0), endsAt: time(1), rows: 1, sizeBytes: 1, severities: 1 };
    });
    const active: LineSegment = {
      kind: 'lines',
      path: '/a',
      sizeBytes: 1,
      startsAt: '2026-01-30T00:00:00.000000000Z',
    };
    const limits = { segmentBytes: 100, maxBytes: 1_000 };
    const plan = (days: number) => planCompaction([...parquet, active], { ...limits, maxAgeMs: days * DAY_MS }, 'fs');
    expect(plan(80)?.sources).toEqual(parquet.slice(1));
    expect(plan(30)).toBeUndefined();
  });
});
