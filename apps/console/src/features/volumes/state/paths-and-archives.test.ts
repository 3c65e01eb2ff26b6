import type { ControlPaths } from '@berth/client';
import { createFakeCalls, type FakeCall } from '@berth/client/testing';
import { describe, expect, test } from 'vitest';
import { crumbsOf, isFolderName, nameOf, readFolder } from './folder-path.ts';
import { formatJson, IMAGE_BYTES, previewKind } from './preview-kind.ts';
import { ZIP_BYTES, zipFiles } from './zip-files.ts';

describe('a path', () => {
  // Fails when the slash at the end counts as a segment.
  test.each([
    ['a/b/c.txt', 'c.txt'],
    ['a/b/', 'b'],
    ['c.txt', 'c.txt'],
    ['', ''],
  ])('%j is called %j', (path, name) => {
    expect(nameOf(path)).toBe(name);
  });

  // Fails when a crumb leads to its own name instead of the whole path.
  test('has a crumb for each of its folders', () => {
    expect(crumbsOf('2026/photos/')).toEqual([
      { name: '2026', path: '2026/' },
      { name: 'photos', path: '2026/photos/' },
    ]);
    expect(crumbsOf('')).toEqual([]);
  });

  test.each<[unknown, { path?: string }]>([
    ['photos', { path: 'photos/' }],
    ['photos/', { path: 'photos/' }],
    ['', {}],
    ['/', {}],
    [7, {}],
    [undefined, {}],
  ])('%j in the address names %j', (path, expected) => {
    expect(readFolder({ path })).toEqual(expected);
  });

  // Fails when the bound counts characters: the contract's is in bytes.
  test.each<[string, boolean]>([
    ['photos', true],
    ['صور', true],
    ['..', false],
    ['.', false],
    ['a/b', false],
    ['a\0b', false],
    ['é'.repeat(127), true],
    ['é'.repeat(128), false],
  ])('%j may name a folder: %s', (name, isGood) => {
    expect(isFolderName(name)).toBe(isGood);
  });
});

describe('a preview', () => {
  test.each([
    ['a/photo.JPG', 10, 'image'],
    ['a/photo.png', IMAGE_BYTES + 1, undefined],
    ['huge.log', 10 ** 12, 'text'],
    ['a.json/data', 10, undefined],
    ['Dockerfile', 10, 'text'],
    ['.gitignore', 10, 'text'],
    ['data.geojson', 10, 'json'],
    ['program.exe', 10, undefined],
  ])('of %s with %i bytes is %s', (path, sizeBytes, kind) => {
    expect(previewKind(path, sizeBytes)).toBe(kind);
  });

  // Fails when the beginning of a long file, which is no JSON, can't be shown.
  test('of JSON is laid out where it is whole', () => {
    expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}');
    expect(formatJson('{"a":[1')).toBe('{"a":[1');
  });
});

describe('an archive', () => {
  const object = (path: string, size = 5) => ({ path, size, updated: '2026-01-01T00:00:00.000Z' });

  function setup(answer: (url: string) => Response, size?: number) {
    const lists: FakeCall['query'][] = [];
    const client = createFakeCalls<ControlPaths>({
      'GET /v1/volume/objects': ({ query }) => {
        lists.push(query);
        if (query['limit'] === 1) return { objects: [object(`${query['prefix']}`, size), object('other')] };
        const isSecond = query['page_token'] === 'next';
        const objects = [object(`${query['prefix']}${isSecond ? 'b' : 'a'}`, size)];
        return { objects, next_page_token: isSecond ? null : 'next' };
      },
      'POST /v1/volume/download': ({ body }) => ({ url: `https://storage/${body['object']}` }),
    });
    const packed: number[] = [];
    const fetched: RequestInit[] = [];
    const pack = async (...paths: string[]) => {
      const names: string[] = [];
      const options = { client, volume: 'media', folder: '2026/', paths, signal: new AbortController().signal };
      const fetch = (async (url: string, init: RequestInit) => {
        fetched.push(init);
        return answer(url);
      }) as typeof globalThis.fetch;
      for await (const { name } of zipFiles({ ...options, fetch, onPacked: (count) => packed.push(count) })) {
        names.push(name);
      }
      return names;
    };
    return { pack, packed, fetched, lists };
  }

  // Fails when only the first page of a folder is packed, or an object whose path merely begins alike comes along.
  test('has the files of all pages, named from the folder that is shown', async () => {
    const { pack, packed, fetched } = setup(() => new Response('hello'));
    expect(await pack('2026/photos/', '2026/c.txt')).toEqual(['photos/a', 'photos/b', 'c.txt']);
    expect(packed).toEqual([1, 2, 3]);
    expect(fetched.every(({ credentials }) => credentials === 'omit')).toBe(true);
  });

  // Fails when an error of the storage becomes the content of a file.
  test('isn’t made when the storage refuses a file', async () => {
    const { pack } = setup(() => new Response('The link has expired.', { status: 403 }));
    await expect(pack('2026/c.txt')).rejects.toThrow('2026/c.txt: 403 The link has expired.');
  });

  // Fails when the bound holds for each file instead of all of them.
  test('is bounded by the sum of its files', async () => {
    const { pack, packed } = setup(() => new Response('hello'), ZIP_BYTES * 0.6);
    await expect(pack('2026/photos/')).rejects.toMatchObject({ code: 'payload_too_large' });
    expect(packed).toEqual([1]);
  });
});
