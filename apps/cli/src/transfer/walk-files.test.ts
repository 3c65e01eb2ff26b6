import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import type { RemoteObject } from './list-all-objects.ts';
import { comparePaths, type LocalFile, selectChanged, walkFiles } from './walk-files.ts';

async function* from<Item>(items: readonly Item[]): AsyncGenerator<Item> {
  yield* items;
}

const local = (name: string, sizeBytes = 1, modifiedAtMs = 1_000): LocalFile => ({
  path: name,
  absolute: `/x/${name}`,
  sizeBytes,
  modifiedAtMs,
});
const remote = (name: string, size = 1, updatedMs = 2_000): RemoteObject => ({
  path: name,
  size,
  updated: new Date(updatedMs).toISOString(),
});

async function select(files: readonly LocalFile[], objects: readonly RemoteObject[], prefix = '') {
  const same: string[] = [];
  const changed = await Array.fromAsync(
    selectChanged(from(files), from(objects), prefix, (file) => same.push(file.path)),
    (file) => file.path,
  );
  return { changed, same };
}

test('leaves out what is there with its size, and not older', async () => {
  const files = [local('a'), local('b', 2), local('c', 1, 3_000), local('d'), local('e', 1, 2_000.7)];
  const objects = [remote('a'), remote('b', 1), remote('c'), remote('cc'), remote('e')];
  expect(await select(files, objects)).toEqual({ changed: ['b', 'c', 'd'], same: ['a', 'e'] });
});

test('compares below a prefix', async () => {
  expect(await select([local('a'), local('z')], [remote('p/a'), remote('p/m')], 'p/')).toEqual({
    changed: ['z'],
    same: ['a'],
  });
});

test('of any two sets it leaves out exactly those in both', async () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[a-c!~é\u{1F600}\uFF5E]{1,3}$/u), { maxLength: 12 });
  const sorted = (list: readonly string[]) => [...list].sort(comparePaths);
  await fc.assert(
    fc.asyncProperty(names, names, async (here, there) => {
      const { changed, same } = await select(
        sorted(here).map((name) => local(name)),
        sorted(there).map((name) => remote(name)),
      );
      expect(same).toEqual(sorted(here.filter((name) => there.includes(name))));
      expect(changed).toEqual(sorted(here.filter((name) => !there.includes(name))));
    }),
  );
});

test('files are walked in the order in which volumes list their objects; links are skipped', async () => {
  await using folder = await createTemporaryFolder();
  for (const name of ['b', 'a/x', 'a-b/x', 'a.b', 'a/é', 'A', '\u{1F600}', '\uFF5E', 'e\u0301']) {
    mkdirSync(path.join(folder.path, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(folder.path, name), name);
  }
  symlinkSync('/etc/passwd', path.join(folder.path, 'link'));
  const skipped: string[] = [];
  const walked = await Array.fromAsync(
    walkFiles(folder.path, (name) => skipped.push(name)),
    (file) => file.path,
  );
  expect(walked).toEqual(['A', 'a-b/x', 'a.b', 'a/x', 'a/é', 'b', 'é', '\uFF5E', '\u{1F600}']);
  expect(walked).toEqual([...walked].sort(comparePaths));
  expect(skipped).toEqual(['link']);
});
