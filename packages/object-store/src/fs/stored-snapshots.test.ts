import { mkdirSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createSystemClock } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createFsObjectStore } from './create-fs-object-store.ts';
import { SNAPSHOT_BOUNDS } from './folder-snapshot.ts';
import { createFsFixture, type FsFixture } from './testing/fs-fixture.ts';

/** More than a page: smaller folders are not kept. */
const COUNT = 1_100;
const listingBounds = { ...SNAPSHOT_BOUNDS, runKeys: 64, storedKeys: COUNT - 100 };

/** A volume of many files, and a second store on its folder that stores its listings. */
async function createLarge() {
  const fixture = await createFsFixture();
  const clock = createFakeClock(Date.now());
  for (let index = 0; index < COUNT; index++) writeFileSync(path.join(fixture.volume, `f-${index}`), '');
  mkdirSync(path.join(fixture.volume, 'ü'));
  writeFileSync(path.join(fixture.volume, 'ü/x'), '');
  const open = () => createFsObjectStore({ folder: fixture.root, clock, listingBounds });
  const stored = () => {
    const folder = path.join(fixture.root, '.listings');
    return readdirSync(folder).map((name) => path.join(folder, name));
  };
  await settle(fixture.volume);
  return { fixture, clock, open, stored };
}

/** Waits until a change of a folder would give it another time. */
async function settle(folder: string): Promise<void> {
  const clock = createSystemClock();
  while (Date.now() - statSync(folder).ctimeMs < 50) await clock.sleep(10);
}

async function pathsOf({ place }: FsFixture, store: ReturnType<typeof createFsObjectStore>): Promise<string[]> {
  const paths: string[] = [];
  for (let after: string | undefined; ; ) {
    const { objects, isTruncated } = await store.list(place, { limit: 1_000, after });
    paths.push(...objects.map((object) => object.path));
    after = paths.at(-1);
    if (!isTruncated) return paths;
  }
}

/** Damages a stored listing so that it has another name in it. */
function rename(file: string): void {
  const bytes = readFileSync(file);
  bytes.set(Buffer.from('g'), bytes.indexOf('f-1'));
  writeFileSync(file, bytes);
}

test('a count stores the names of a large folder, and the next process lists from them', async () => {
  const { fixture, open, stored } = await createLarge();
  await using _fixture = fixture;
  const first = open();
  await first.measure(fixture.place);
  await first.close();
  const [file = ''] = stored();
  expect(stored()).toHaveLength(1);
  expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const next = open();
  const paths = await pathsOf(fixture, next);
  expect(paths).toEqual([...Array.from({ length: COUNT }, (_value, index) => `f-${index}`), 'ü/x'].sort());
  await next.close();
});

test('a listing stores the names too, once, some time after it', async () => {
  const { fixture, clock, open, stored } = await createLarge();
  await using _fixture = fixture;
  const store = open();
  await pathsOf(fixture, store);
  await clock.advance(10_000);
  await store.close();
  expect(stored()).toHaveLength(1);
});

// Fails when only a first page stores the names: the first one after a change comes too early, and later ones read on from theirs.
test('a later page stores the names from the start', async () => {
  const { fixture, clock, open, stored } = await createLarge();
  await using _fixture = fixture;
  const store = open();
  await store.list(fixture.place, { limit: 10, after: 'f-5' });
  await clock.advance(10_000);
  await store.close();
  expect(stored()).toHaveLength(1);
  const next = open();
  expect(await pathsOf(fixture, next)).toHaveLength(COUNT + 1);
  await next.close();
});

// Fails when the state of a folder leaves out what changed: each case lists from stored names that are no longer right.
test.each<[string, (volume: string) => void]>([
  ['a service adds a file', (volume) => writeFileSync(path.join(volume, 'new'), '')],
  ['a service renames a file', (volume) => renameSync(path.join(volume, 'f-7'), path.join(volume, 'new'))],
  [
    'a service adds a file and sets the time of the folder back',
    (volume) => {
      const { atime, mtime } = statSync(volume);
      writeFileSync(path.join(volume, 'new'), '');
      utimesSync(volume, atime, mtime);
    },
  ],
])('%s: the next listing has it', async (_name, change) => {
  const { fixture, open } = await createLarge();
  await using _fixture = fixture;
  // A time that can be set back to exactly.
  utimesSync(fixture.volume, 1_000, 1_000);
  await settle(fixture.volume);
  const store = open();
  await store.measure(fixture.place);
  await pathsOf(fixture, store);
  change(fixture.volume);
  for (const one of [store, open()]) {
    expect(await pathsOf(fixture, one)).toContain('new');
    await one.close();
  }
});

test('an object that was put is listed at once', async () => {
  const { fixture, open } = await createLarge();
  await using _fixture = fixture;
  const store = open();
  await store.measure(fixture.place);
  for (const name of ['a', 'f-10x', 'z']) {
    await store.put(fixture.place, name, Readable.from([Buffer.from('x')]));
    expect(await pathsOf(fixture, store)).toContain(name);
  }
  await store.close();
});

test.each<[string, (file: string) => void]>([
  ['of another content', rename],
  ['that is cut off', (file) => writeFileSync(file, readFileSync(file).subarray(0, 900))],
  ['that is empty', (file) => writeFileSync(file, '')],
])('a stored listing %s is removed, and the folder is read', async (_name, damage) => {
  const { fixture, open, stored } = await createLarge();
  await using _fixture = fixture;
  const first = open();
  await first.measure(fixture.place);
  await first.close();
  for (const file of stored()) damage(file);
  const next = open();
  expect(await pathsOf(fixture, next)).toHaveLength(COUNT + 1);
  expect(stored()).toEqual([]);
  await next.close();
});

test('a folder that changes has one stored listing, and a small one none', async () => {
  const { fixture, open, stored } = await createLarge();
  await using _fixture = fixture;
  const store = open();
  for (const name of ['a', 'b/c', 'b/d']) {
    await store.put(fixture.place, name, Readable.from([Buffer.from('x')]));
    await settle(fixture.volume);
    await store.measure(fixture.place);
    expect(stored()).toHaveLength(1);
  }
  await store.close();
});

test('when names cannot be stored, the folder is read', async () => {
  const { fixture, open } = await createLarge();
  await using _fixture = fixture;
  writeFileSync(path.join(fixture.root, '.listings'), 'in the way');
  const store = open();
  await store.measure(fixture.place);
  expect(await pathsOf(fixture, store)).toHaveLength(COUNT + 1);
  await store.close();
});
