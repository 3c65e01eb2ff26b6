import { statfs } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { cacheLimit } from './open-builder.ts';

/** A file system in memory, smaller than 100 GiB. */
const SMALL_DISK = '/dev/shm';

// Fails when the share of the disk is left out, or bounds what the operator set.
it('caches take what the operator says; else 10 GiB, and a tenth of the disk at most', async () => {
  const { blocks, bsize } = await statfs(SMALL_DISK);
  expect(await cacheLimit({ cacheLimit: undefined }, SMALL_DISK)).toBe(Math.floor((blocks * bsize) / 10));
  expect(await cacheLimit({ cacheLimit: '5000Gi' }, SMALL_DISK)).toBe(5000 * 2 ** 30);
  // It has no blocks.
  expect(await cacheLimit({ cacheLimit: undefined }, '/proc')).toBe(10 * 2 ** 30);
});
