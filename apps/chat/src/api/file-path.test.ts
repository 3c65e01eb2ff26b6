import { describe, expect, it } from 'vitest';
import { attachmentPath, crumbsOf, fileUrl, joinPath, nameOfPath, parentOf } from './file-path.ts';

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

describe('the name of an attachment', () => {
  it('is the one that the person gave it, without the characters that keep files apart', () => {
    expect(nameOfPath(attachmentPath('dG8QkEjt-12', 'tides.csv'))).toBe('tides.csv');
    expect(nameOfPath(attachmentPath('dG8QkEjt12', 'a/b-c.csv'))).toBe('a_b-c.csv');
    expect(nameOfPath('attachments/own.csv')).toBe('own.csv');
    expect(nameOfPath('reports/dG8QkEjt-tides.csv')).toBe('dG8QkEjt-tides.csv');
  });
});
