import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseWorkspacePath } from '@berth/agent-core';
import { expect, it } from 'vitest';
import { ANN, createFilesFixture } from '../files/testing/create-files-fixture.ts';
import { ownerFolderName } from '../files/workspace-folder.ts';
import { createFrozenFiles } from './frozen-files.ts';
import { parseShareHome, type ShareHome } from './share-home.ts';

const HOME = parseShareHome(ANN, undefined) as ShareHome;

async function open() {
  const fixture = await createFilesFixture();
  const frozen = createFrozenFiles(fixture.dataFolder, fixture.files, fixture.clock);
  await fixture.put('a.txt', 'a');
  return { ...fixture, frozen, folder: path.join(fixture.dataFolder, '.shares', ownerFolderName(ANN)) };
}

const [a, missing, link, folder] = ['a.txt', 'missing.txt', 'link.txt', 'folder'].map((name) =>
  parseWorkspacePath(name),
);

it('copies the files that are there, and nothing that a link leads to', async () => {
  await using fixture = await open();
  await symlink('/etc/hostname', fixture.at('link.txt'));
  await mkdir(fixture.at('folder'));
  expect(await fixture.frozen.freeze(HOME, 'one', [missing!, link!, folder!, a!])).toEqual([a]);
  await fixture.put('a.txt', 'changed');
  await using file = await fixture.frozen.open(HOME, 'one', 0, a!);
  expect(Buffer.concat(await file!.read().toArray()).toString()).toBe('a');
  expect(file!.entry).toMatchObject({ name: 'a.txt', path: 'a.txt' });
  expect(await fixture.frozen.open(HOME, 'one', 1, a!)).toBeUndefined();
});

it('opens the file it was asked for, however many are opened at once', async () => {
  await using fixture = await open();
  const paths = Array.from({ length: 40 }, (_, index) => parseWorkspacePath(`${index}.txt`));
  for (const file of paths) await fixture.put(file, `this is ${file}`);
  await fixture.frozen.freeze(HOME, 'many', paths);
  const read = paths.map(async (name, index) => {
    await using file = await fixture.frozen.open(HOME, 'many', index, name);
    return file && Buffer.concat(await file.read().toArray()).toString();
  });
  expect(await Promise.all(read)).toEqual(paths.map((name) => `this is ${name}`));
});

it('refuses too many files and leaves nothing of the attempt', async () => {
  await using fixture = await open();
  const many = Array.from({ length: 501 }, (_, index) => parseWorkspacePath(`${index}`));
  await expect(fixture.frozen.freeze(HOME, 'x', many)).rejects.toMatchObject({ code: 'payload_too_large' });
  await expect(readdir(fixture.folder)).rejects.toMatchObject({ code: 'ENOENT' });
});

it('leaves nothing of a share that a crash cut short, nor of one that ended', async () => {
  await using fixture = await open();
  const { frozen, folder: shares, clock } = fixture;
  await frozen.freeze(HOME, 'kept', [a!]);
  await frozen.freeze(HOME, 'ended', [a!]);
  await mkdir(path.join(shares, 'torn.unfinished'));
  await writeFile(path.join(shares, 'torn.unfinished', '0'), 'half');
  // Another process may still be writing it.
  await frozen.sweep(HOME, new Set(['kept']));
  expect((await readdir(shares)).sort()).toEqual(['ended', 'kept', 'torn.unfinished']);
  clock.advance(3_700_000);
  await frozen.sweep(HOME, new Set(['kept']));
  expect(await readdir(shares)).toEqual(['kept']);
  await frozen.remove(HOME, 'kept');
  await frozen.remove(HOME, 'kept');
  expect(await readdir(shares)).toEqual([]);
});
