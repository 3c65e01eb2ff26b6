import { appendFile, readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createTemporaryStore, printed, SCOPE } from '../testing/temporary-store.ts';

describe('after a crash', () => {
  test('an entry cut anywhere is not seen, and the log goes on after the whole ones', async () => {
    await using original = await createTemporaryStore();
    await original.store.append(SCOPE, printed('one', 'two', 'three'));
    await original.store.close();
    const [path = ''] = await original.segments();
    const whole = await readFile(path);
    const secondEnd = whole.indexOf('\n', whole.indexOf('two')) + 1;
    for (const cut of [secondEnd, secondEnd + 1, secondEnd + 30, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, cut));
      const store = original.reopen();
      expect(await original.messages()).toEqual(['one', 'two']);
      await store.append(SCOPE, printed('four'));
      expect(await original.messages()).toEqual(['one', 'two', 'four']);
      await store.close();
      original.reopen();
      expect(await original.messages()).toEqual(['one', 'two', 'four']);
    }
  });

  test('a hole of zeros that the file system left costs only the entries in it', async () => {
    await using temporary = await createTemporaryStore();
    await temporary.store.append(SCOPE, printed('one', 'two', 'three'));
    await temporary.store.close();
    const [path = ''] = await temporary.segments();
    const bytes = await readFile(path);
    bytes.fill(0, bytes.indexOf('two') - 40, bytes.indexOf('two') + 2);
    await writeFile(path, bytes);
    await appendFile(path, Buffer.alloc(100_000));
    temporary.reopen();
    expect(await temporary.messages()).toEqual(['one', 'three']);
    await temporary.store.append(SCOPE, printed('four'));
    await temporary.store.flush();
    expect(await temporary.messages()).toEqual(['one', 'three', 'four']);
    expect((await stat(path)).size).toBeLessThan(1000);
  });

  test('a segment without a whole entry still keeps the cursor from going back', async () => {
    await using temporary = await createTemporaryStore({ limits: { segmentBytes: 1 } });
    await temporary.store.append(SCOPE, printed('one'));
    await temporary.store.flush();
    temporary.clock.setNowMs(temporary.clock.nowMs() + 5000);
    await temporary.store.append(SCOPE, printed('two'));
    await temporary.store.close();
    const [, second = ''] = await temporary.segments();
    await truncate(second, 3);
    temporary.clock.setNowMs(temporary.clock.nowMs() - 10_000);
    const store = temporary.reopen();
    await store.append(SCOPE, printed('three'));
    const entries = await store.read(SCOPE, { limit: 10 });
    expect(entries.map((entry) => [entry.timestamp, entry.message])).toEqual([
      ['2026-01-31T00:00:00.000000000Z', 'one'],
      ['2026-01-31T00:00:05.000000001Z', 'three'],
    ]);
  });

  test('files that are none of ours are left alone', async () => {
    await using temporary = await createTemporaryStore();
    await temporary.store.append(SCOPE, printed('one'));
    await temporary.store.close();
    for (const name of ['notes.txt', '.hidden', 'lost+found']) await writeFile(join(temporary.logFolder, name), 'x');
    temporary.reopen();
    expect(await temporary.messages()).toEqual(['one']);
    expect(await temporary.segments()).toHaveLength(4);
  });
});

test('logs are readable for their owner alone', async () => {
  await using temporary = await createTemporaryStore();
  await temporary.store.append(SCOPE, printed('secret'));
  await temporary.store.flush();
  const [path = ''] = await temporary.segments();
  expect((await stat(path)).mode & 0o077).toBe(0);
  expect((await stat(temporary.logFolder)).mode & 0o077).toBe(0);
});
