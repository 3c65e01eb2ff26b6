import { mkdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeSystemError } from './describe-system-error.ts';

const thrownBy = (work: () => void): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('it did not throw');
};

test('an error of the file system becomes one sentence with its path and code', () => {
  const below = thrownBy(() => mkdirSync('/dev/null/berth'));
  expect(describeSystemError(below)).toBe('A part of /dev/null/berth is a file, not a folder (ENOTDIR, mkdir).');
  // Fails when the sentence keeps its full stop before the code.
  const folder = thrownBy(() => readFileSync('/'));
  expect(describeSystemError(folder)).toBe('the data folder is a folder, not a file (EISDIR, read).');
});

test('an error of the program itself is not described', () => {
  expect(describeSystemError(new TypeError('x is undefined'))).toBeUndefined();
  // Fails when the code alone decides: an HTTP client's error has one too.
  expect(describeSystemError(Object.assign(new Error('x'), { code: 'EACCES' }))).toBeUndefined();
});
