import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createSpawningSandbox } from '../testing/spawning-sandbox.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createCachePlace } from './cache-places.ts';
import { noteHomeUse } from './home-use.ts';
import { type TrimCachesOptions, trimCaches } from './trim-caches.ts';

/** Creates a home folder of 1,000 bytes for `deployment`. */
async function makeHome(cacheFolder: string, deployment: string, usedAtMs: number) {
  const place = createCachePlace(cacheFolder, { account: 'a', deployment });
  await mkdir(place.home, { recursive: true });
  await writeFile(join(place.home, 'x'), 'x'.repeat(1_000));
  await noteHomeUse(place, usedAtMs);
}

test('home folders are removed by last use or when too large, but never during their builds', async () => {
  await using root = await createTemporaryFolder();
  const cacheFolder = root.path;
  for (const [index, name] of ['old', 'busy', 'new'].entries()) await makeHome(cacheFolder, name, index + 1);
  const sandbox = createSpawningSandbox({ path: '' });
  const whenIdle: TrimCachesOptions['whenIdle'] = async ({ deployment }, work) => {
    if (deployment !== undefined && deployment !== 'busy') await work();
    return deployment !== undefined && deployment !== 'busy';
  };
  const trim = async (cacheBytes: number, homeBytes: number) => {
    const isEnough = (leftBytes: number) => leftBytes <= cacheBytes;
    return (await trimCaches({ cacheFolder, isEnough, homeBytes, sandbox, whenIdle })).leftBytes;
  };

  expect(await trim(3_000, 1_000)).toBe(3_000);
  expect(await trim(2_500, 1_000)).toBe(2_000);
  expect((await readdir(join(cacheFolder, 'a'))).sort()).toEqual(['busy', 'new']);
  expect(await trim(9_999, 999)).toBe(1_000);
  expect(await readdir(join(cacheFolder, 'a'))).toEqual(['busy']);
});

test('leftovers of an interrupted removal are removed', async () => {
  await using root = await createTemporaryFolder();
  await mkdir(join(root.path, 'a', 'b', '.trash-home', 'deep'), { recursive: true });
  const sandbox = createSpawningSandbox({ path: '' });
  const whenIdle: TrimCachesOptions['whenIdle'] = async (_owner, work) => {
    await work();
    return true;
  };
  const limits = { cacheFolder: root.path, isEnough: () => true, homeBytes: 1, sandbox, whenIdle };
  expect(await trimCaches(limits)).toEqual({ leftBytes: 0, count: 1 });
  expect(await readdir(root.path)).toEqual([]);
});
