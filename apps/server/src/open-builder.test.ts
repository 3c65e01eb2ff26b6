import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { cacheLimit } from './open-builder.ts';

// Fails when the share of the disk is left out (on a disk below 100 GiB), or bounds what the operator set.
it('caches take what the operator says; else 10 GiB, and a tenth of the disk at most', async () => {
  const { blocks, bsize } = await statfs(tmpdir());
  const usual = await cacheLimit({ cacheLimit: undefined }, tmpdir());
  expect(usual).toBe(Math.min(10 * 2 ** 30, Math.floor((blocks * bsize) / 10)));
  expect(await cacheLimit({ cacheLimit: '5000Gi' }, tmpdir())).toBe(5000 * 2 ** 30);
});
