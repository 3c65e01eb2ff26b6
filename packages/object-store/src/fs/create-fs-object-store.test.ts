import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createSystemClock } from '@berth/kit';
import { afterAll, expect, test } from 'vitest';
import { describeObjectStore, describeSharedUploads } from '../contract/index.ts';
import { createFsObjectStore } from './create-fs-object-store.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-objects-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const clock = createSystemClock();

// One store for one folder: a second one removes what the first is receiving, as a crash's remains.
const alone = createFsObjectStore({ folder: path.join(folder, 'alone'), clock });
describeObjectStore('fs', { hasPartialUploads: true, open: async () => alone });

// Four names fill the memory: folders are read again and again, which is what those of many millions come to.
const listingBounds = { runKeys: 2, maxRuns: 2, storedKeys: 1 };
const small = createFsObjectStore({ folder: path.join(folder, 'small'), clock, listingBounds });
describeObjectStore('fs with little memory', { hasPartialUploads: false, open: async () => small });

const shared = path.join(folder, 'shared');
describeObjectStore('fs on a shared folder', {
  hasPartialUploads: true,
  open: async () => createFsObjectStore({ folder: shared, clock, isShared: true }),
});
describeSharedUploads('fs', async (ownClock) =>
  createFsObjectStore({ folder: shared, clock: ownClock, isShared: true }),
);

// Fails when a server that starts takes what another one is receiving for what a crash left.
test('a server that starts leaves the uploads of another one alone', async () => {
  const place = { account: 'acc_1', storageId: 'vol.1' };
  const open = () => createFsObjectStore({ folder: shared, clock, isShared: true });
  const gate = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const chunks = async function* () {
    yield Buffer.from('first ');
    arrived.resolve();
    await gate.promise;
    yield Buffer.from('second');
  };
  const stored = open().put(place, 'x', Readable.from(chunks()));
  await arrived.promise;
  const other = open();
  await other.put(place, 'y', Readable.from([Buffer.from('ready')]));
  gate.resolve();
  await stored;
  expect((await other.find(place, 'x'))?.sizeBytes).toBe(12);
});
