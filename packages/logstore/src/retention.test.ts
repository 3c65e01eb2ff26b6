import { readdir, stat } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { createNodeLogFiles } from './log-files.ts';
import { createTemporaryStore, printed, SCOPE } from './testing/temporary-store.ts';

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
