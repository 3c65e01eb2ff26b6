import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findOrigin, RESTORED_NAME, writePlace } from './data-place.ts';

let root: string;
let data: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-place-'));
  data = path.join(root, 'data');
  mkdirSync(data);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const moved = () => path.join(root, 'elsewhere');

test('a folder that was never used has no origin; one that was used here stayed', () => {
  expect(findOrigin(data)).toEqual({ kind: 'unknown', workRoot: undefined, wasOutside: false });
  const workRoot = path.join(data, 'work');
  writePlace(data, workRoot);
  expect(findOrigin(data)).toEqual({ kind: 'stayed', workRoot, wasOutside: false });
});

test('a folder that is gone where it was used has moved; one that is still there was copied', () => {
  writePlace(data, path.join(data, 'work'));
  cpSync(data, moved(), { recursive: true });
  // Fails when a copy is taken for the original: both servers would then claim the same containers.
  expect(findOrigin(moved()).kind).toBe('copied');
  rmSync(data, { recursive: true });
  expect(findOrigin(moved()).kind).toBe('moved');
});

test('a work root beside the data folder did not come along', () => {
  const workRoot = path.join(root, 'data-work');
  writePlace(data, workRoot);
  renameSync(data, moved());
  // Fails when the paths are compared without the separator: `data-work` begins with `data`.
  expect(findOrigin(moved())).toEqual({ kind: 'moved', workRoot, wasOutside: true });
});

test('a restored folder says so until it was taken over, whatever place it names', () => {
  writePlace(data, path.join(data, 'work'));
  writeFileSync(path.join(data, RESTORED_NAME), JSON.stringify({ format: 2, work_root: '/former/work' }));
  expect(findOrigin(data)).toEqual({ kind: 'restored', workRoot: '/former/work', wasOutside: false });
  writeFileSync(path.join(data, RESTORED_NAME), JSON.stringify({ work_root: 1 }));
  expect(() => findOrigin(data)).toThrow();
});
