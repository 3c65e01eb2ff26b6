import { spawnSync } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { createSystemClock } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { afterAll, expect, test } from 'vitest';
import { createFsObjectStore } from './create-fs-object-store.ts';
import { createFsFixture } from './testing/fs-fixture.ts';

const MIB = 1024 * 1024;
/** A file system of 96 MiB, of which the store keeps 64 free. */
const small = mkdtempSync(path.join(tmpdir(), 'berth-small-'));
const hasSmall =
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', small], { stdio: 'ignore' }).status === 0;
afterAll(() => {
  if (hasSmall) spawnSync('umount', [small]);
  rmSync(small, { recursive: true });
});

const bytes = (count: number) =>
  Readable.from(
    (function* () {
      for (let left = count; left > 0; left -= MIB) yield Buffer.alloc(Math.min(MIB, left), 1);
    })(),
  );

test.skipIf(!hasSmall)('a full disk stores nothing and leaves nothing (needs the right to mount a tmpfs)', async () => {
  await using fixture = await createFsFixture(small);
  const { store, place, put, read } = fixture;
  await put('x', 'before');
  const full = { code: 'insufficient_storage', status: 507 };
  // Said before a byte is read when the length is known, and found out while writing when it is not.
  await expect(store.put(place, 'x', bytes(MIB), { sizeBytes: 40 * MIB })).rejects.toMatchObject(full);
  await expect(store.put(place, 'x', bytes(200 * MIB))).rejects.toMatchObject(full);
  await expect(store.uploads?.begin(place, 'y', 200 * MIB)).rejects.toMatchObject(full);
  expect(await read('x')).toBe('before');
  expect(fixture.incoming()).toEqual([]);
  await put('z', 'there is room again');
});

test('what a crash left of an upload is gone at the next start; what is in place stays', async () => {
  await using fixture = await createFsFixture();
  await fixture.put('x', 'kept');
  writeFileSync(path.join(fixture.root, '.incoming/half'), 'half');
  const next = createFsObjectStore({ folder: fixture.root, clock: createSystemClock() });
  await next.put(fixture.place, 'y', Readable.from([Buffer.from('y')]));
  expect(fixture.incoming()).toEqual([]);
  expect((await next.list(fixture.place, { limit: 9 })).objects.map((object) => object.path)).toEqual(['x', 'y']);
});

test('an upload in parts outlives the process for a day', async () => {
  const root = path.join(mkdtempSync(path.join(tmpdir(), 'berth-fs-')), 'volumes');
  const place = { account: 'acc_1', storageId: 'data.1' };
  const clock = createFakeClock(Date.now());
  const first = createFsObjectStore({ folder: root, clock });
  const upload = await first.uploads?.begin(place, 'x', 3);
  await first.uploads?.append(upload?.id ?? '', 0, Readable.from([Buffer.from('ab')]));
  await first.close();

  const second = createFsObjectStore({ folder: root, clock });
  await second.close();
  expect(await second.uploads?.find(upload?.id ?? '')).toMatchObject({ offset: 2 });

  clock.advance(25 * 3_600_000);
  const third = createFsObjectStore({ folder: root, clock });
  await third.close();
  expect(readdirSync(path.join(root, '.uploads'))).toEqual([]);
  rmSync(path.dirname(root), { recursive: true });
});

test('what nobody finished goes when another upload begins a day later', async () => {
  const root = path.join(mkdtempSync(path.join(tmpdir(), 'berth-fs-')), 'volumes');
  const place = { account: 'acc_1', storageId: 'data.1' };
  const clock = createFakeClock(Date.now());
  const store = createFsObjectStore({ folder: root, clock });
  const old = await store.uploads?.begin(place, 'x', 3);
  clock.advance(23 * 3_600_000);
  await store.uploads?.begin(place, 'y', 3);
  expect(await store.uploads?.find(old?.id ?? '')).toBeDefined();
  clock.advance(2 * 3_600_000);
  await store.uploads?.begin(place, 'z', 3);
  expect(await store.uploads?.find(old?.id ?? '')).toBeUndefined();
  await store.close();
  rmSync(path.dirname(root), { recursive: true });
});

test('a description that a crash tore off belongs to no upload', async () => {
  await using fixture = await createFsFixture();
  mkdirSync(path.join(fixture.root, '.uploads'), { recursive: true });
  const id = 'a'.repeat(32);
  writeFileSync(path.join(fixture.root, '.uploads', `${id}.json`), '{"place":');
  expect(await fixture.store.uploads?.find(id)).toBeUndefined();
});

test('a move that a crash broke in two ends with the same move again', async () => {
  await using fixture = await createFsFixture();
  const { store, place, volume, put, read } = fixture;
  await put('a', 'bytes');
  linkSync(path.join(volume, 'a'), path.join(volume, 'b'));
  expect((await store.move(place, 'a', 'b', { isAbsent: true })).replacedBytes).toBeUndefined();
  expect([readdirSync(volume), await read('b')]).toEqual([['b'], 'bytes']);
});
