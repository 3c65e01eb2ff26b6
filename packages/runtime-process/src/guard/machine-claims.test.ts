import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { IdRange } from '../identity/id-range.ts';
import { openUsers } from '../identity/open-users.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { openMachineClaims } from './machine-claims.ts';

const CLAIM = {
  serverHash: '0123456789ab',
  range: { first: 300_000, count: 100 },
  cgroupFolders: ['/sys/fs/cgroup/x'],
};

/** As if the server that made it had died. */
async function abandon(folder: string, hash: string): Promise<void> {
  const path = join(folder, `${hash}.json`);
  const claim = JSON.parse(await readFile(path, 'utf8')) as { startTicks: number };
  await writeFile(path, JSON.stringify({ ...claim, startTicks: claim.startTicks + 1 }));
}

test('a claim ends with its server, and what it held is told to the next one', async () => {
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, 'berth');
  const first = openMachineClaims(path);
  first.make(CLAIM);
  expect(openMachineClaims(path).abandoned).toEqual([]);
  await abandon(path, CLAIM.serverHash);
  const second = openMachineClaims(path);
  expect(second.abandoned).toMatchObject([CLAIM]);
  for (const claim of second.abandoned) second.settle(claim);
  expect(openMachineClaims(path).abandoned).toEqual([]);
  second.make(CLAIM);
  expect(await readdir(path)).toEqual([`${CLAIM.serverHash}.json`]);
  second.release();
  second.release();
  expect(await readdir(path)).toEqual([]);
});

test('two servers with the same user IDs cannot run at once', async () => {
  await using folder = await createTemporaryFolder();
  openMachineClaims(folder.path).make(CLAIM);
  const rival = { ...CLAIM, serverHash: 'ba9876543210' };
  expect(() => openMachineClaims(folder.path).make(rival)).toThrow('same user IDs');
  openMachineClaims(folder.path).make({ ...rival, range: { first: 400_000, count: 100 } });
  openMachineClaims(folder.path).make(CLAIM);
});

test('a claim on folders that are no control groups is not believed', async () => {
  await using folder = await createTemporaryFolder();
  await writeFile(
    join(folder.path, 'x.json'),
    JSON.stringify({ ...CLAIM, cgroupFolders: ['/etc'], pid: 1, startTicks: 0 }),
  );
  await writeFile(join(folder.path, 'y.json'), 'torn');
  expect(openMachineClaims(folder.path).abandoned).toEqual([]);
});

test('a new server is told the ids of the others that run, and comes to others than its name would give it', async () => {
  await using folder = await createTemporaryFolder();
  const claims = join(folder.path, 'claims');
  const open = (name: string, taken: readonly IdRange[]) => openUsers(join(folder.path, name), CLAIM.serverHash, taken);
  const { range } = await open('first.json', []);
  openMachineClaims(claims).make({ ...CLAIM, range });
  expect(openMachineClaims(claims).taken(CLAIM.serverHash)).toEqual([]);
  const taken = openMachineClaims(claims).taken('ba9876543210');
  expect(taken).toEqual([range]);
  expect((await open('second.json', taken)).range.first).not.toBe(range.first);
  await abandon(claims, CLAIM.serverHash);
  expect(openMachineClaims(claims).taken('ba9876543210')).toEqual([]);
});
