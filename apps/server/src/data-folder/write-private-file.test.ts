import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { writePrivateFile } from './write-private-file.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-private-'));
  file = path.join(folder, 'secret');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

// Fails when the mode is left out of `openSync`.
test('a file is replaced whole, for this user only', () => {
  writeFileSync(file, 'a longer text than the next', { mode: 0o644 });
  writePrivateFile(file, 'two\n');
  expect(readFileSync(file, 'utf8')).toBe('two\n');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['secret']);
});

// Fails when the temporary file isn't removed first. In a container a restarted server often has the same process id.
test('the temporary file of a killed process with the same id is not in the way', () => {
  writeFileSync(`${file}.${process.pid}.tmp`, 'half', { mode: 0o644 });
  writePrivateFile(file, 'whole');
  expect(readFileSync(file, 'utf8')).toBe('whole');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['secret']);
});

// Fails when the temporary file is opened with `w`: the text would be written to the link's target.
test('a link in place of the temporary file is not followed', () => {
  const victim = path.join(folder, 'victim');
  writeFileSync(victim, 'untouched');
  symlinkSync(victim, `${file}.${process.pid}.tmp`);
  writePrivateFile(file, 'whole');
  expect(readFileSync(victim, 'utf8')).toBe('untouched');
  expect(readFileSync(file, 'utf8')).toBe('whole');
});

// Fails when the temporary file stays after a failed rename.
test('a failure leaves what was there, and nothing else', () => {
  mkdirSync(path.join(file, 'inside'), { recursive: true });
  expect(() => writePrivateFile(file, 'text')).toThrow();
  expect(readdirSync(folder)).toEqual(['secret']);
  expect(readdirSync(file)).toEqual(['inside']);
});
