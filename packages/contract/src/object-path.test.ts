import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseObjectPath, toStoredPath } from './object-path.ts';

test.each([
  'a',
  'a/b/c.txt',
  '..a/b..',
  '...',
  'with space/ü/日本',
  'a\\..\\b',
  '%2e%2e/x',
  'a\nb',
  'x'.repeat(255),
  `${'x'.repeat(255)}/${'y'.repeat(255)}/${'z'.repeat(255)}/${'w'.repeat(255)}/`.slice(0, 1023),
])('%j is a path', (path) => {
  expect(parseObjectPath(path)).toEqual({ path });
});

test('one slash in front is dropped, and no more', () => {
  expect(parseObjectPath('/a/b')).toEqual({ path: 'a/b' });
  expect(parseObjectPath('//a')).toHaveProperty('problem');
});

test.each([
  ['', 'empty'],
  ['/', 'empty'],
  ['a//b', 'empty part'],
  ['a/', 'empty part'],
  ['.', 'part "."'],
  ['a/./b', 'part "."'],
  ['..', 'part ".."'],
  ['a/../../b', 'part ".."'],
  ['a\0b', 'NUL'],
  ['\ud800', 'Unicode'],
  ['x'.repeat(256), '255 bytes'],
  [`${'ü'.repeat(100)}/`.repeat(6), '1024 bytes'],
])('%j is none', (path, problem) => {
  expect(parseObjectPath(path)).toEqual({ problem: expect.stringContaining(problem) });
});

test('a path that is read leads nowhere but down', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('..', '.', '', 'a', '/', '\\', '\0', '%2e', 'é')), (parts) => {
      const result = parseObjectPath(parts.join('/'));
      if ('problem' in result) return;
      const seen = new URL(`http://x/root/${result.path.split('/').map(encodeURIComponent).join('/')}`).pathname;
      expect(seen.startsWith('/root/')).toBe(true);
      expect(parseObjectPath(result.path)).toEqual(result);
    }),
  );
});

test('two spellings of a name are stored as one', () => {
  expect(toStoredPath('e\u0301')).toBe(toStoredPath('\u00e9'));
});
