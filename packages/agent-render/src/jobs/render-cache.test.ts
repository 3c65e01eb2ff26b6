import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { WorkspacePath } from '@berth/agent-core';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createRenderCache } from './render-cache.ts';

test('stores results atomically, evicts the oldest, and removes what killed processes left', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'berth-cache-'));
  try {
    const clock = createFakeClock(Date.now());
    const cache = createRenderCache({ folder: path.join(folder, 'made'), clock, maxBytes: 25 });
    const file = (text: string) => ({ read: () => Readable.from([Buffer.from(text)]) });
    const open = (key: string) => cache.open(key, 'shown.pdf' as WorkspacePath);
    expect(await open('a')).toBeUndefined();
    await cache.put('a', file('0123456789'));
    {
      await using made = await open('a');
      expect(made?.entry).toMatchObject({ name: 'shown.pdf', size: 10 });
    }
    const failing = {
      read: () =>
        Readable.from(
          (function* () {
            yield Buffer.from('half');
            throw new Error('disk');
          })(),
        ),
    };
    await expect(cache.put('b', failing)).rejects.toThrow('disk');
    expect(await readdir(path.join(folder, 'made'))).toEqual(['a']);

    await utimes(path.join(folder, 'made/a'), 1, 1);
    const left = path.join(folder, 'made/killed.part');
    await writeFile(left, 'x');
    await utimes(left, 1, 1);
    await cache.put('c', file('0123456789'));
    await cache.put('d', file('0123456789'));
    expect((await readdir(path.join(folder, 'made'))).sort()).toEqual(['c', 'd']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
