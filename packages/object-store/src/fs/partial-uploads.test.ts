import { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createFakeClock } from '@berth/testkit';
import { expect, onTestFinished, test } from 'vitest';
import type { PartialUploads } from '../object-store.ts';
import { createFsObjectStore } from './create-fs-object-store.ts';

const PLACE = { account: 'acc_1', storageId: 'data.1' };
const HOUR_MS = 3_600_000;

const body = (content: string) => Readable.from([Buffer.from(content)]);

async function open() {
  const root = mkdtempSync(path.join(tmpdir(), 'berth-partial-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const clock = createFakeClock(Date.now());
  const store = createFsObjectStore({ folder: root, clock });
  const uploads = store.uploads as PartialUploads;
  const folder = path.join(root, '.uploads');
  const files = () =>
    readdirSync(folder)
      .map((name) => path.extname(name))
      .sort();
  const read = async (objectPath: string) => {
    await using object = await store.open(PLACE, objectPath);
    return object && (await text(object.read()));
  };
  /** A body whose second half comes when it is let go. */
  const slowBody = (first: string, second: string) => {
    const gate = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const chunks = async function* () {
      yield Buffer.from(first);
      arrived.resolve();
      await gate.promise;
      yield Buffer.from(second);
    };
    return { stream: Readable.from(chunks()), arrived: arrived.promise, letGo: gate.resolve };
  };
  return { clock, store, uploads, folder, files, read, slowBody };
}

// Fails when two requests may finish one upload: the second would place an empty or missing file over the object.
test('an upload that is finished twice at once becomes one object', async () => {
  const { uploads, files, read } = await open();
  const { id } = await uploads.begin(PLACE, 'x', 3);
  await uploads.append(id, 0, body('abc'));
  const both = await Promise.allSettled([uploads.finish(id), uploads.finish(id)]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(both[1]).toMatchObject({ reason: { code: 'conflict' } });
  expect([await read('x'), files()]).toEqual(['abc', []]);
});

// Fails when an upload is removed or finished under the request that writes it: the client would be told of bytes that are gone.
test('while bytes arrive nobody can finish the upload or give it up, and afterwards anybody can go on', async () => {
  const { uploads, read, slowBody } = await open();
  const { id } = await uploads.begin(PLACE, 'x', 6);
  const { stream, arrived, letGo } = slowBody('abc', 'def');
  const writing = uploads.append(id, 0, stream);
  await arrived;
  for (const refused of [uploads.abort(id), uploads.finish(id), uploads.append(id, 3, body('xxx'))]) {
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
  }
  letGo();
  expect((await writing).offset).toBe(6);
  await uploads.finish(id);
  expect(await read('x')).toBe('abcdef');
});

// Fails when one that is being written is collected for its age, or an abandoned one outlives the collection.
test('a day later an abandoned upload goes, and one that is being written does not', async () => {
  const { clock, uploads, folder, files, read, slowBody } = await open();
  const [abandoned, used] = [await uploads.begin(PLACE, 'a', 1), await uploads.begin(PLACE, 'x', 6)];
  const { stream, arrived, letGo } = slowBody('abc', 'def');
  const writing = uploads.append(used.id, 0, stream);
  await arrived;
  const old = new Date(clock.nowMs() - HOUR_MS);
  for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), old, old);
  clock.advance(24 * HOUR_MS);
  await uploads.begin(PLACE, 'z', 1);
  expect(files()).toEqual(['.json', '.json', '.part', '.part']);
  expect(await uploads.find(abandoned.id)).toBeUndefined();
  letGo();
  await writing;
  await uploads.finish(used.id);
  expect(await read('x')).toBe('abcdef');
});

// Fails when a finish that can't place the object uses the upload up: the client would have to send everything again.
test('an upload whose path leads through an object keeps its bytes', async () => {
  const { store, uploads, files, read } = await open();
  await store.put(PLACE, 'a', body('in the way'));
  const { id } = await uploads.begin(PLACE, 'a/b', 3);
  await uploads.append(id, 0, body('abc'));
  await expect(uploads.finish(id)).rejects.toMatchObject({ code: 'conflict' });
  expect([(await uploads.find(id))?.offset, files()]).toEqual([3, ['.json', '.part']]);
  await store.delete(PLACE, 'a');
  await uploads.finish(id);
  expect(await read('a/b')).toBe('abc');
});
