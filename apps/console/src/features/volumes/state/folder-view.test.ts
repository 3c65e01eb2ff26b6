import type { ControlPaths } from '@berth/client';
import { createFakeCalls } from '@berth/client/testing';
import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { isFolderName } from './folder-path.ts';
import { formatJson, IMAGE_BYTES, previewKind } from './preview-kind.ts';
import { ZIP_BYTES, type ZipFilesOptions, zipFiles } from './zip-files.ts';

test('the file extension decides how a file is previewed', () => {
  const kinds = ['a/photo.JPG', 'b.json', 'c.log', 'Dockerfile', 'd.exe', 'e'].map((path) => previewKind(path, 1));
  expect(kinds).toEqual(['image', 'json', 'text', 'text', undefined, undefined]);
  expect([previewKind('x.png', IMAGE_BYTES + 1), previewKind('x.txt', 2 ** 40)]).toEqual([undefined, 'text']);
  expect([formatJson('{"a":1}'), formatJson('{"a":')]).toEqual(['{\n  "a": 1\n}', '{"a":']);
});

test('a folder name has no path separators', () => {
  expect(['a', 'ü'.repeat(127), '..', 'a/b', '', 'ü'.repeat(128), 'a\0'].map(isFolderName)).toEqual([
    ...[true, true, false, false, false, false, false],
  ]);
});

const object = (path: string, size = 1) => ({ path, size, updated: '2026-01-01T00:00:00Z' });
const options = (objects: ReturnType<typeof object>[], paths: string[]): ZipFilesOptions => ({
  client: createFakeCalls<ControlPaths>({
    'GET /v1/volume/objects': ({ query: { prefix } }) => ({
      objects: objects.filter(({ path }) => path.startsWith(String(prefix))),
      next_page_token: null,
    }),
    'POST /v1/volume/download': ({ body: { object } }) => ({
      url: `http://storage/${object}`,
      method: 'GET',
      expires_at: '',
    }),
  }),
  volume: 'v',
  folder: 'a/',
  paths,
  signal: new AbortController().signal,
  fetch: async (url) => new Response(`bytes of ${url}`),
  onPacked() {},
});

test('an archive contains folders recursively, with names relative to the current folder', async () => {
  const objects = [object('a/b/1'), object('a/b/c/2'), object('a/x'), object('a/xy')];
  const names: string[] = [];
  for await (const { name } of zipFiles(options(objects, ['a/b/', 'a/x']))) names.push(name);
  expect(names).toEqual(['b/1', 'b/c/2', 'x']);
});

test('refuses a selection that is too large before fetching it', async () => {
  const entries = zipFiles(options([object('a/x', ZIP_BYTES + 1)], ['a/x']));
  await expect(entries.next()).rejects.toSatisfy((error) => BerthError.is(error, 'payload_too_large'));
});
