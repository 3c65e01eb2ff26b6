import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createFsFixture } from './testing/fs-fixture.ts';

const isRoot = process.getuid?.() === 0;

test('a link in a volume leads nowhere: not to read, write, delete, list, measure or mount', async () => {
  await using fixture = await createFsFixture();
  const { store, place, volume, outside, put, read } = fixture;
  const secret = path.join(outside, 'secret');
  writeFileSync(secret, 'of the server');
  mkdirSync(path.join(outside, 'folder'));
  writeFileSync(path.join(outside, 'folder/inner'), 'of the server');
  symlinkSync(secret, path.join(volume, 'file'));
  symlinkSync(path.join(outside, 'folder'), path.join(volume, 'way'));
  symlinkSync('..', path.join(volume, 'up'));

  for (const one of ['file', 'way/inner', 'up/data.1/x', 'way', 'up']) {
    expect([one, await read(one)]).toEqual([one, undefined]);
    expect(await store.find(place, one)).toBeUndefined();
    expect(await store.delete(place, one)).toBeUndefined();
  }
  await expect(put('way/new', 'x')).rejects.toMatchObject({ code: 'conflict' });
  await expect(put('way/deep/er', 'x')).rejects.toMatchObject({ code: 'conflict' });
  await expect(store.folders?.ensure(place, 'way/made')).rejects.toMatchObject({ code: 'start_failed' });
  await expect(store.copy(place, 'file', 'copy')).rejects.toMatchObject({ code: 'not_found' });
  expect((await store.list(place, { limit: 10 })).objects).toEqual([]);
  expect(await store.measure(place)).toEqual({ sizeBytes: 0, objectCount: 0 });

  // What is put where a link is takes the place of the link.
  await put('file', 'mine');
  expect(await read('file')).toBe('mine');
  expect(readFileSync(secret, 'utf8')).toBe('of the server');
  expect(readFileSync(path.join(outside, 'folder/inner'), 'utf8')).toBe('of the server');
  expect(existsSync(path.join(outside, 'folder/new'))).toBe(false);
});

test('a folder that becomes a link while it is written to and read from lets nothing out', async () => {
  await using fixture = await createFsFixture();
  const { volume, outside, put, read } = fixture;
  mkdirSync(path.join(outside, 'target'));
  writeFileSync(path.join(outside, 'target/x'), 'secret');
  mkdirSync(path.join(volume, 'real'));
  const [way, kept, link] = [path.join(volume, 'way'), path.join(volume, 'real'), path.join(volume, 'link')];
  symlinkSync(path.join(outside, 'target'), link);
  renameSync(kept, way);
  let isOver = false;
  const swap = (async () => {
    while (!isOver) {
      // A put may make the folder again, and a file in it, in the moment that it is away.
      for (const [from, to] of [
        [way, kept],
        [link, way],
        [way, link],
        [kept, way],
      ] as const) {
        while (!tryRename(from, to)) rmSync(to, { recursive: true, force: true, maxRetries: 50, retryDelay: 1 });
        if (to === way) await new Promise((resolve) => setImmediate(resolve));
      }
    }
  })();
  const seen = new Set<string | undefined>();
  for (let index = 0; index < 150; index++) {
    await put('way/x', 'mine').catch((error: { code: string }) =>
      expect(['conflict', 'unavailable']).toContain(error.code),
    );
    seen.add(await read('way/x'));
  }
  isOver = true;
  await swap;
  expect([...seen].filter((one) => one !== undefined && one !== 'mine')).toEqual([]);
  expect(readFileSync(path.join(outside, 'target/x'), 'utf8')).toBe('secret');
});

test('FIFOs and folders are no objects, and nothing waits for them', async () => {
  await using fixture = await createFsFixture();
  const { store, place, volume, put, read } = fixture;
  expect(spawnSync('mkfifo', [path.join(volume, 'pipe')]).status).toBe(0);
  await put('a/b', 'x');
  expect(await read('pipe')).toBeUndefined();
  expect(await read('a')).toBeUndefined();
  expect(await store.delete(place, 'a')).toBeUndefined();
  await expect(put('a', 'x')).rejects.toMatchObject({ code: 'conflict' });
  await expect(put('a/b/c', 'x')).rejects.toMatchObject({ code: 'conflict' });
  expect((await store.list(place, { limit: 10 })).objects.map((object) => object.path)).toEqual(['a/b']);
  expect(fixture.incoming()).toEqual([]);
});

test.each(['../x', 'a/../../x', '..', '.', 'a//b', ''])('"%s" never reaches the file system', async (climbing) => {
  await using fixture = await createFsFixture();
  const { put, read, volume, root } = fixture;
  await put('a/x', 'x');
  await expect(put(climbing, 'x')).rejects.toThrow();
  await expect(read(climbing)).rejects.toThrow();
  await expect(fixture.store.folders?.ensure(fixture.place, `${climbing}/..`)).rejects.toThrow();
  expect(existsSync(path.join(root, 'acc_1/x'))).toBe(false);
  expect(existsSync(path.join(volume, 'x'))).toBe(false);
});

test.skipIf(!isRoot)(
  'a file that has a name outside too is served only when it is the account’s own (needs root)',
  async () => {
    await using fixture = await createFsFixture();
    const { volume, outside, read } = fixture;
    const secret = path.join(outside, 'secret');
    writeFileSync(secret, 'of the server', { mode: 0o600 });
    const group = 61_234;
    chownSync(volume, 0, group);
    chmodSync(volume, 0o2770);
    linkSync(secret, path.join(volume, 'stolen'));
    expect(await read('stolen')).toBeUndefined();
    writeFileSync(path.join(volume, 'own'), 'of a service');
    chownSync(path.join(volume, 'own'), group, group);
    linkSync(path.join(volume, 'own'), path.join(volume, 'again'));
    expect(await read('again')).toBe('of a service');
  },
);

test.skipIf(!isRoot)(
  'what is uploaded belongs to the group the volume is shared with, and to nobody else (needs root)',
  async () => {
    await using fixture = await createFsFixture();
    const { volume, put, store, place } = fixture;
    const group = 61_234;
    chownSync(volume, 0, group);
    chmodSync(volume, 0o2770);
    await put('a/b/c', 'x');
    const sub = (await store.folders?.ensure(place, 'sub/deep')) ?? '';
    for (const folder of [path.join(volume, 'a'), path.join(volume, 'a/b'), sub]) {
      const { gid, mode } = statSync(folder);
      expect([folder, gid, (mode & 0o7777).toString(8)]).toEqual([folder, group, '2770']);
    }
    const { gid, mode } = statSync(path.join(volume, 'a/b/c'));
    expect([gid, (mode & 0o7777).toString(8)]).toEqual([group, '660']);
  },
);

test('the folders around a volume let others pass and see nothing; what is on its way is private', async () => {
  await using fixture = await createFsFixture();
  const modeOf = (...parts: string[]) => (statSync(path.join(fixture.root, ...parts)).mode & 0o7777).toString(8);
  await fixture.put('x', 'x');
  expect([modeOf('acc_1'), modeOf('acc_1', 'data.1'), modeOf('.incoming')]).toEqual(['711', '770', '700']);
});

test('a volume whose folder is gone is empty, and is made again by what is put', async () => {
  await using fixture = await createFsFixture();
  const { store, place, put, read } = fixture;
  await put('x', 'x');
  await store.removeVolume(place);
  expect(await read('x')).toBeUndefined();
  await put('y', 'y');
  expect(await read('y')).toBe('y');
  unlinkSync(path.join(fixture.volume, 'y'));
  expect(await read('y')).toBeUndefined();
});

test('names that are no text, or too long to be asked for, are not shown and not counted', async () => {
  await using fixture = await createFsFixture();
  const { volume, store, place, put } = fixture;
  await put('good/x', 'x');
  writeFileSync(Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0xff, 0xfe])]), 'x');
  mkdirSync(Buffer.concat([Buffer.from(`${volume}/`), Buffer.from([0xc3])]));
  let deep = volume;
  for (let level = 0; level < 5; level++) deep = path.join(deep, 'd'.repeat(250));
  mkdirSync(deep, { recursive: true });
  writeFileSync(path.join(deep, 'x'), 'x');
  expect((await store.list(place, { limit: 9 })).objects.map((object) => object.path)).toEqual(['good/x']);
  expect(await store.measure(place)).toEqual({ sizeBytes: 1, objectCount: 1 });
});

function tryRename(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    return false;
  }
}
