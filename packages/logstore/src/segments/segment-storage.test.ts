import { createReadStream, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectStore } from '@berth/object-store';
import { createFsObjectStore } from '@berth/object-store/fs';
import { createFakeClock, createFakeObjectStore, createRecordingLogger } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { ParquetSegment } from '../ports/segment.ts';
import { createSegmentCache } from './segment-cache.ts';
import { parquetSegmentName } from './segment-name.ts';
import { createSegmentStorage } from './segment-storage.ts';

const PLACE = { account: 'acme', deployment: 'shop' };
const VOLUME = { account: 'acme', storageId: 'shop' };
const RIVAL = { account: 'rival', storageId: 'shop' };

const time = (minute: number) => `2026-01-31T00:${String(minute).padStart(2, '0')}:00.000000000Z`;
const summary = (minute: number) => ({ startsAt: time(minute), endsAt: time(minute), rows: 1, severities: 1 });
const keyOf = (minute: number) => parquetSegmentName(time(minute), time(minute));

/** A folder as former store and a bucket for new segments, whose calls are noted. */
function open() {
  const root = mkdtempSync(join(tmpdir(), 'berth-segments-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const clock = createFakeClock();
  const { folders: _, ...fake } = createFakeObjectStore({ clock });
  const opened: string[] = [];
  const bucket: ObjectStore & { failure: Error | undefined; readonly seed: typeof fake.seed } = {
    ...fake,
    name: 'bucket',
    failure: undefined,
    async open(place, path) {
      opened.push(path);
      return fake.open(place, path);
    },
    async delete(place, path) {
      if (this.failure) throw this.failure;
      return fake.delete(place, path);
    },
  };
  const local = createFsObjectStore({ folder: join(root, 'logs'), clock });
  const logged: string[] = [];
  const storage = createSegmentStorage({
    store: bucket,
    formerStores: [local],
    cache: createSegmentCache(join(root, 'fetched'), 1_000),
    scratchFolder: join(root, 'scratch'),
    logger: createRecordingLogger(logged),
  });
  const make = async (minute: number): Promise<ParquetSegment> => {
    const file = await storage.scratch();
    writeFileSync(file, `minute ${minute}`);
    const segment = await storage.put(PLACE, file, summary(minute));
    expect(existsSync(file)).toBe(false);
    return segment;
  };
  const isStored = async (segment: ParquetSegment) => (await bucket.find(VOLUME, segment.key)) !== undefined;
  return { root, bucket, local, storage, make, opened, logged, isStored };
}

// Fails when a segment that was made here is fetched from the bucket again, or its row would not name where it is.
test('a new segment is in the bucket, under its times, and is read from this machine', async () => {
  const { storage, make, opened, isStored } = open();
  const segment = await make(1);
  expect(segment).toEqual({ kind: 'parquet', key: keyOf(1), store: 'bucket', sizeBytes: 8, ...summary(1) });
  expect(await isStored(segment)).toBe(true);
  using held = await storage.hold(PLACE, [segment]);
  expect(held.paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['minute 1']);
  expect(opened).toEqual([]);
  expect([storage.storeName, storage.holdBytes]).toEqual(['bucket', 1_000]);
});

// Fails when the folder is made in the background: a store that is closed at once would leave it behind.
test('a folder for new files is made when one is needed', async () => {
  const { storage, root } = open();
  await sleep(50);
  expect(existsSync(join(root, 'scratch'))).toBe(false);
  await storage.scratch();
  expect(existsSync(join(root, 'scratch'))).toBe(true);
});

// Fails when files come grouped by store: the entries of one segment would be read under the times of another.
test('segments of several stores come as files in the order in which they were asked for', async () => {
  const { storage, make, local, root } = open();
  const file = join(root, 'old');
  writeFileSync(file, 'minute 2');
  await local.put(VOLUME, keyOf(2), createReadStream(file));
  const old: ParquetSegment = { kind: 'parquet', key: keyOf(2), store: 'fs', sizeBytes: 8, ...summary(2) };
  const [first, third] = [await make(1), await make(3)];
  using held = await storage.hold(PLACE, [third, old, first]);
  expect(held.paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['minute 3', 'minute 2', 'minute 1']);
});

// Fails when an object is deleted while someone reads it.
test('a segment that is read is removed when its last reader lets go', async () => {
  const { storage, make, isStored } = open();
  const segment = await make(1);
  const first = await storage.hold(PLACE, [segment]);
  const unpin = storage.pin(PLACE, [segment]);
  await storage.remove(PLACE, segment);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  expect([await isStored(segment), existsSync(first.paths[0] ?? '')]).toEqual([true, true]);
  unpin();
  await expect.poll(() => isStored(segment)).toBe(false);
  await expect.poll(() => existsSync(first.paths[0] ?? '')).toBe(false);
});

// Fails when such a failure is swallowed, or reaches whoever lets go of a file.
test('a removal that fails later is reported; one that fails at once is the error of the caller', async () => {
  const { storage, make, bucket, logged } = open();
  const segment = await make(1);
  bucket.failure = new Error('no answer');
  await expect(storage.remove(PLACE, segment)).rejects.toThrow('no answer');
  const unpin = storage.pin(PLACE, [segment]);
  await storage.remove(PLACE, segment);
  unpin();
  await expect.poll(() => logged.join()).toContain('no answer');
});

// Fails when a missing object is an error of its own kind: readers then ask for the current list of segments.
test('an object that is gone is "no such file", and leaves nothing in the cache', async () => {
  const { storage, make, bucket, opened } = open();
  const segment = await make(1);
  await storage.remove(PLACE, segment);
  await expect(storage.hold(PLACE, [segment])).rejects.toMatchObject({ code: 'ENOENT' });
  bucket.seed(VOLUME, segment.key, 'restored');
  using held = await storage.hold(PLACE, [{ ...segment, sizeBytes: 8 }]);
  expect([readFileSync(held.paths[0] ?? '', 'utf8'), opened.length]).toEqual(['restored', 2]);
});

// Fails when an unknown store counts as empty: the log would look complete without those entries.
test('a store that the server is not set up with any more is unavailable, by its name', async () => {
  const { storage, make } = open();
  const segment = { ...(await make(1)), store: 'old-bucket' };
  await expect(storage.hold(PLACE, [segment])).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('"old-bucket"'),
  });
  await expect(storage.remove(PLACE, segment)).rejects.toMatchObject({ code: 'unavailable' });
});

// Fails when only the first page is read, other objects count as segments, or another account's are listed.
test('a list has every segment of the log, however many, and nothing else', async () => {
  const { storage, bucket } = open();
  const minutes = Array.from({ length: 1_001 }, (_, n) => n);
  const keys = minutes.map((n) => {
    const at = `2026-01-31T${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')}:00.000000000Z`;
    return parquetSegmentName(at, at);
  });
  for (const key of keys) bucket.seed(VOLUME, key, 'x');
  for (const other of ['notes.txt', 'a.parquet', `sub/${keys[0]}`, '2026-01-31T00-00-00.000000000Z.log']) {
    bucket.seed(VOLUME, other, 'x');
  }
  bucket.seed(RIVAL, parquetSegmentName(time(5), time(9)), 'x');
  const listed = await storage.list(PLACE, 'bucket');
  expect(listed.map(({ key }) => key)).toEqual(keys);
  expect(listed[61]).toMatchObject({ key: keys[61], store: 'bucket', sizeBytes: 1 });
  expect([listed[61]?.startsAt, await storage.list(PLACE, 'fs')]).toEqual(['2026-01-31T01:01:00.000000000Z', []]);
});
