import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { PartialUploads } from '../object-store.ts';
import { brokenBody, type StoreFixture } from './store-fixture.ts';

const body = (content: string) => Readable.from([Buffer.from(content)]);

/** Uploads that go on where they broke off. */
export function describePartialUploads(open: () => Promise<StoreFixture>): void {
  const openUploads = async (): Promise<StoreFixture & { readonly uploads: PartialUploads }> => {
    const fixture = await open();
    if (!fixture.store.uploads) throw new Error('the driver says that it has partial uploads');
    return { ...fixture, uploads: fixture.store.uploads };
  };

  test('parts become an object when they are finished, and not before', async () => {
    const { uploads, place, paths, read } = await openUploads();
    const { id, offset } = await uploads.begin(place, 'a/b', 6);
    expect(offset).toBe(0);
    expect((await uploads.append(id, 0, body('abc'))).offset).toBe(3);
    expect((await uploads.append(id, 3, body('def'))).offset).toBe(6);
    expect(await paths()).toEqual([]);
    const { object, replacedBytes } = await uploads.finish(id);
    expect([object.path, object.sizeBytes, replacedBytes]).toEqual(['a/b', 6, undefined]);
    expect(await read('a/b')).toBe('abcdef');
    expect(await uploads.find(id)).toBeUndefined();
  });

  test('what came before it broke off is kept', async () => {
    const { uploads, place, read } = await openUploads();
    const { id } = await uploads.begin(place, 'x', 6);
    await expect(uploads.append(id, 0, brokenBody('ab', 'cd'))).rejects.toThrow('the client went away');
    expect(await uploads.find(id)).toMatchObject({ offset: 4, sizeBytes: 6, path: 'x', place });
    await uploads.append(id, 4, body('ef'));
    await uploads.finish(id);
    expect(await read('x')).toBe('abcdef');
  });

  test('another offset, too much and too little are refused and change nothing', async () => {
    const { uploads, place } = await openUploads();
    const { id } = await uploads.begin(place, 'x', 4);
    await uploads.append(id, 0, body('ab'));
    await expect(uploads.append(id, 0, body('zz'))).rejects.toMatchObject({ code: 'conflict' });
    await expect(uploads.append(id, 2, body('toolong'))).rejects.toMatchObject({ code: 'bad_request' });
    await expect(uploads.finish(id)).rejects.toMatchObject({ code: 'conflict' });
    expect(await uploads.find(id)).toMatchObject({ offset: 2 });
  });

  test('two that write at once do not mix', async () => {
    const { uploads, place } = await openUploads();
    const { id } = await uploads.begin(place, 'x', 100);
    const results = await Promise.allSettled([uploads.append(id, 0, body('a')), uploads.append(id, 0, body('b'))]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect((await uploads.find(id))?.offset).toBe(1);
  });

  test('one that is given up leaves nothing', async () => {
    const { uploads, place, paths } = await openUploads();
    const { id } = await uploads.begin(place, 'x', 3);
    await uploads.append(id, 0, body('abc'));
    await uploads.abort(id);
    await uploads.abort(id);
    expect(await uploads.find(id)).toBeUndefined();
    await expect(uploads.append(id, 3, body(''))).rejects.toMatchObject({ code: 'not_found' });
    await expect(uploads.finish(id)).rejects.toMatchObject({ code: 'not_found' });
    expect(await paths()).toEqual([]);
  });

  test.each(['', '..', '../../etc/passwd', 'x'.repeat(32), 'a/b'])('"%s" is the id of none', async (id) => {
    const { uploads } = await openUploads();
    expect(await uploads.find(id)).toBeUndefined();
    await uploads.abort(id);
  });
}
