import { createHash } from 'node:crypto';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { brokenBody, type StoreFixture } from './store-fixture.ts';

const digest = (name: string, text: string) => createHash(name).update(text).digest();

/** One object at a time: stored whole or not at all. */
export function describeObjects(open: () => Promise<StoreFixture>): void {
  test('what is put is there, as it is told', async () => {
    const { store, place, put, read } = await open();
    const { object, replacedBytes } = await put('a/b.txt', 'hello');
    expect(replacedBytes).toBeUndefined();
    expect(object).toMatchObject({ path: 'a/b.txt', sizeBytes: 5 });
    expect(object.etag).toMatch(/^"[^"]+"$/);
    expect(await store.find(place, 'a/b.txt')).toEqual(object);
    expect(await read('a/b.txt')).toBe('hello');
  });

  test('a second put takes the place of the first, under another tag', async () => {
    const { put, read } = await open();
    const first = await put('x', 'one');
    const second = await put('x', 'three');
    expect(second.replacedBytes).toBe(3);
    expect(second.object.etag).not.toBe(first.object.etag);
    expect(await read('x')).toBe('three');
  });

  test('an object may be empty, and of many chunks', async () => {
    const { put, read } = await open();
    expect((await put('empty', Readable.from([]))).object.sizeBytes).toBe(0);
    expect(await read('empty')).toBe('');
    const chunk = Buffer.alloc(100_000, 'x');
    const chunks = Array.from({ length: 60 }, () => chunk);
    expect((await put('large', Readable.from(chunks))).object.sizeBytes).toBe(6_000_000);
    expect(await read('large')).toBe('x'.repeat(6_000_000));
  });

  test.each(['with space', 'ü/日本', 'a+b&c=d?e#f', '%2e%2e', 'back\\slash', '..a', '.hidden', 'a/.b/c', 'quote\'"'])(
    'a path is taken as it is: %s',
    async (path) => {
      const { put, read, paths } = await open();
      await put(path, path);
      expect(await read(path)).toBe(path);
      expect(await paths()).toEqual([path]);
    },
  );

  test('ranges are of the bytes that are asked for', async () => {
    const { put, read } = await open();
    await put('x', '0123456789');
    expect(await read('x', { first: 0, last: 0 })).toBe('0');
    expect(await read('x', { first: 3, last: 5 })).toBe('345');
    expect(await read('x', { first: 9, last: 9 })).toBe('9');
  });

  test('pieces come to the same bytes, and end when whoever takes them fails', async () => {
    const { store, place, put } = await open();
    const content = Array.from({ length: 200_000 }, (_, index) => `${index} `).join('');
    await put('x', content);
    await using object = await store.open(place, 'x');
    if (!object?.eachPiece) return;
    for (const range of [undefined, { first: 3, last: 3 }, { first: 100_000, last: 1_000_001 }]) {
      const pieces: Buffer[] = [];
      await object.eachPiece(async (piece) => void pieces.push(Buffer.from(piece)), range);
      const expected = range ? content.slice(range.first, range.last + 1) : content;
      expect(Buffer.concat(pieces).toString() === expected).toBe(true);
    }
    let taken = 0;
    const failing = object.eachPiece(async () => {
      if (++taken === 2) throw new Error('enough');
    });
    await expect(failing).rejects.toThrow('enough');
    expect(taken).toBeLessThan(5);
  });

  test('what is not there is undefined', async () => {
    const { store, place, put, read } = await open();
    await put('a/b', 'x');
    for (const path of ['a', 'b', 'a/b/c', 'A/B']) {
      expect([path, await store.find(place, path)]).toEqual([path, undefined]);
      expect(await read(path)).toBeUndefined();
      expect(await store.delete(place, path)).toBeUndefined();
    }
    expect(await read('a/b')).toBe('x');
  });

  test('another account sees nothing, whatever the volume is called', async () => {
    const { store, otherPlace, put } = await open();
    await put('x', 'secret');
    expect(await store.find(otherPlace, 'x')).toBeUndefined();
    expect((await store.list(otherPlace, { limit: 10 })).objects).toEqual([]);
    await store.removeVolume(otherPlace);
  });

  test('a body that breaks off changes nothing', async () => {
    const { put, read, paths } = await open();
    await put('x', 'before');
    await expect(put('x', brokenBody('half', 'of'))).rejects.toThrow('the client went away');
    await expect(put('new', brokenBody())).rejects.toThrow();
    expect(await read('x')).toBe('before');
    expect(await paths()).toEqual(['x']);
  });

  test('an abort ends a put that waits, and it changes nothing', async () => {
    const { put, paths } = await open();
    const body = new PassThrough();
    const aborter = new AbortController();
    const putting = put('x', body, { signal: aborter.signal });
    body.write('some');
    aborter.abort(new Error('enough'));
    await expect(putting).rejects.toThrow('enough');
    expect(await paths()).toEqual([]);
  });

  test.each([
    ['size', { sizeBytes: 6 }],
    ['smaller size', { sizeBytes: 4 }],
    ['MD5', { md5: digest('md5', 'other') }],
    ['SHA-256', { sha256: digest('sha256', 'other') }],
  ])('bytes of another %s are refused and not stored', async (_what, expected) => {
    const { put, paths } = await open();
    await expect(put('x', 'hello', expected)).rejects.toMatchObject({ code: 'bad_request' });
    expect(await paths()).toEqual([]);
  });

  test('bytes that are as announced are stored', async () => {
    const { put, read } = await open();
    const expected = { sizeBytes: 5, md5: digest('md5', 'hello'), sha256: digest('sha256', 'hello') };
    await put('x', 'hello', expected);
    expect(await read('x')).toBe('hello');
  });

  test('preconditions are of what is there when it ends', async () => {
    const { put, read } = await open();
    const { object } = await put('x', 'one', { precondition: { isAbsent: true } });
    const refused = { code: 'precondition_failed' };
    await expect(put('x', 'two', { precondition: { isAbsent: true } })).rejects.toMatchObject(refused);
    await expect(put('x', 'two', { precondition: { etags: ['"other"'] } })).rejects.toMatchObject(refused);
    await expect(put('y', 'two', { precondition: { etags: '*' } })).rejects.toMatchObject(refused);
    expect(await read('x')).toBe('one');
    await put('x', 'two', { precondition: { etags: ['"other"', object.etag] } });
    expect(await read('x')).toBe('two');
    expect(await read('y')).toBeUndefined();
  });

  test('of several writers of one path one wins whole', async () => {
    const { put, read, paths } = await open();
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(200_000));
    await Promise.all(texts.map((content) => put('x', content)));
    expect(texts).toContain(await read('x'));
    expect(await paths()).toEqual(['x']);
  });

  test('deleting says what was deleted', async () => {
    const { store, place, put, read } = await open();
    const { object } = await put('a/x', 'one');
    expect(await store.delete(place, 'a/x')).toEqual(object);
    expect(await store.delete(place, 'a/x')).toBeUndefined();
    expect(await read('a/x')).toBeUndefined();
    await put('a/x', 'again');
  });

  test('a copy is an object of its own', async () => {
    const { store, place, put, read } = await open();
    await put('from', 'bytes');
    await put('to', 'before');
    expect((await store.copy(place, 'from', 'to')).replacedBytes).toBe(6);
    await put('from', 'changed');
    expect(await read('to')).toBe('bytes');
    await expect(store.copy(place, 'missing', 'to')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a move takes the object from its path, and replaces another only when it may', async () => {
    const { store, place, put, read, paths } = await open();
    await put('from', 'bytes');
    await put('to/x', 'before');
    const refused = { code: 'precondition_failed' };
    await expect(store.move(place, 'from', 'to/x', { isAbsent: true })).rejects.toMatchObject(refused);
    expect([await read('from'), await read('to/x')]).toEqual(['bytes', 'before']);
    const moved = await store.move(place, 'from', 'to/x');
    expect([moved.replacedBytes, moved.object.path, moved.object.sizeBytes]).toEqual([6, 'to/x', 5]);
    expect((await store.move(place, 'to/x', 'ü/new', { isAbsent: true })).replacedBytes).toBeUndefined();
    expect([await paths(), await read('ü/new')]).toEqual([['ü/new'], 'bytes']);
    await expect(store.move(place, 'missing', 'to')).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a folder moves at once where that can be, and never into one that is there', async () => {
    const { store, place, put, read, paths } = await open();
    if (!store.moveFolder) return;
    await put('a/1', '1');
    await put('a/b/2', '2');
    await put('c/3', '3');
    expect(await store.moveFolder(place, 'a/', 'c/')).toBe(false);
    expect(await store.moveFolder(place, 'none/', 'd/')).toBe(false);
    await expect(store.moveFolder(place, 'a/', 'c/3/d/')).rejects.toMatchObject({ code: 'conflict' });
    expect(await paths()).toEqual(['a/1', 'a/b/2', 'c/3']);
    expect(await store.moveFolder(place, 'a/', 'c/new/')).toBe(true);
    expect([await paths(), await read('c/new/b/2')]).toEqual([['c/3', 'c/new/1', 'c/new/b/2'], '2']);
  });

  test('a volume is measured and removed whole', async () => {
    const { store, place, put, paths } = await open();
    expect(await store.measure(place)).toEqual({ sizeBytes: 0, objectCount: 0 });
    await put('a', '123');
    await put('b/c/d', '4567');
    expect(await store.measure(place)).toEqual({ sizeBytes: 7, objectCount: 2 });
    await store.removeVolume(place);
    await store.removeVolume(place);
    expect(await paths()).toEqual([]);
  });
}
