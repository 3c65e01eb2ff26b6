import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createFilePlacer } from './create-file-placer.ts';
import { type PlaceRequest, placeFiles } from './place-files.ts';
import { createFsFixture, type FsFixture } from './testing/fs-fixture.ts';

const requestsIn = ({ volume, root }: FsFixture) => {
  mkdirSync(path.join(root, '.incoming'), { recursive: true });
  let count = 0;
  return (objectPath: string, precondition?: PlaceRequest['precondition']): PlaceRequest => {
    const temporary = path.join(root, '.incoming', `own-${count++}`);
    return { volume, path: objectPath, temporary, content: Buffer.from(`${objectPath} ${count}`), precondition };
  };
};

test('each file of a batch is placed or refused by itself, in order', async () => {
  await using fixture = await createFsFixture();
  const request = requestsIn(fixture);
  writeFileSync(path.join(fixture.volume, 'file'), '');
  const outcomes = placeFiles([
    request('a/b/one'),
    request('a/b/one'),
    request('a/b/one', { isAbsent: true }),
    request('file/inner'),
    request('a/b'),
    request('new', { isAbsent: true }),
    request('new', { etags: ['"other"'] }),
    { ...request('gone'), volume: path.join(fixture.root, 'gone') },
    request('a/b/two'),
  ]);
  expect(outcomes.map((one) => ('result' in one ? one.result.object.path : one))).toEqual([
    'a/b/one',
    'a/b/one',
    { refusal: 'not_met' },
    { refusal: 'leads_through' },
    { refusal: 'is_folder' },
    'new',
    { refusal: 'not_met' },
    { refusal: 'no_folder' },
    'a/b/two',
  ]);
  expect(outcomes.slice(0, 2).map((one) => 'result' in one && one.result.replacedBytes)).toEqual([undefined, 9]);
  expect(readFileSync(path.join(fixture.volume, 'a/b/one'), 'utf8')).toBe('a/b/one 2');
  // Fails when a refused file stays behind.
  expect(readdirSync(path.join(fixture.root, '.incoming'))).toEqual([]);
});

test('files that arrive together get their own bytes and outcomes', async () => {
  await using fixture = await createFsFixture();
  const names = Array.from({ length: 100 }, (_value, index) => `${index % 7}/${index}`);
  const results = await Promise.all(names.map((name) => fixture.put(name, name)));
  expect(results.map(({ object }) => object.path)).toEqual(names);
  expect(await Promise.all(names.map((name) => fixture.read(name)))).toEqual(names);
});

test('a thread that ends loses no file without saying so, and the next file starts another', async () => {
  await using fixture = await createFsFixture();
  const request = requestsIn(fixture);
  const placer = createFilePlacer();
  await placer.place(request('before'));
  const placed = placer.place(request('while')).then(
    () => 'placed',
    (error: { code: string }) => error.code,
  );
  await placer.close();
  const outcome = await placed;
  expect(['placed', 'unavailable']).toContain(outcome);
  if (outcome === 'placed') expect(existsSync(path.join(fixture.volume, 'while'))).toBe(true);
  expect((await placer.place(request('after')))?.object.path).toBe('after');
  await placer.close();
});

test('the memory of an owned body is freed as it is stored; that of another body is not', async () => {
  await using fixture = await createFsFixture();
  const { store, place } = fixture;
  const [owned, shared] = [Buffer.alloc(200_000, 'a'), Buffer.alloc(200_000, 'b')];
  await store.put(place, 'owned', Readable.from([owned]), { isBodyOwned: true });
  await store.put(place, 'shared', Readable.from([shared]));
  expect([owned.length, shared.length]).toEqual([0, 200_000]);
  expect(await fixture.read('owned')).toBe('a'.repeat(200_000));
});

// Fails when a small body is waited for that has ended already.
test('a body whose client has gone is no object', async () => {
  await using fixture = await createFsFixture();
  const gone = new Readable({ read() {} });
  gone.on('error', () => {}).destroy(new Error('gone'));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(fixture.store.put(fixture.place, 'x', gone, { sizeBytes: 3 })).rejects.toThrow('gone');
  expect(await fixture.read('x')).toBeUndefined();
});
