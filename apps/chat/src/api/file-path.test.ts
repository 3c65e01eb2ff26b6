import { expect, it } from 'vitest';
import { crumbsOf, fileUrl, joinPath, parentOf } from './file-path.ts';

it('encodes each name of a path', () => {
  expect(fileUrl('a b/c#d?.txt')).toBe('/files/a%20b/c%23d%3F.txt');
});

it.each(['../config', 'a/../../connectors/x', '..', 'a/./b', '', 'a//b', 'a\\b'])('has no address for %s', (path) => {
  expect(() => fileUrl(path)).toThrow('is not the path of a file');
});

it('goes into folders and out of them', () => {
  expect(joinPath('', 'a')).toBe('a');
  expect(joinPath('a/b', 'c')).toBe('a/b/c');
  expect(parentOf('a/b/c')).toBe('a/b');
  expect(parentOf('a')).toBe('');
  expect(crumbsOf('')).toEqual([]);
  expect(crumbsOf('a/b')).toEqual([
    { name: 'a', path: 'a' },
    { name: 'b', path: 'a/b' },
  ]);
});
