import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { removeTree } from './remove-tree.ts';

test('a tree is gone, what its links lead to is not', async () => {
  await using folder = await createTemporaryFolder();
  const [tree, outside] = [join(folder.path, 'tree'), join(folder.path, 'outside')];
  for (const path of [join(tree, 'a/b'), outside]) await mkdir(path, { recursive: true });
  await writeFile(join(outside, 'file'), '');
  await writeFile(join(tree, 'a/b/file'), '');
  await symlink(outside, join(tree, 'a/link'));
  await removeTree(tree);
  await removeTree(tree);
  expect(existsSync(tree)).toBe(false);
  expect(await readdir(outside)).toEqual(['file']);
  await symlink(outside, tree);
  await removeTree(tree);
  expect(await readdir(folder.path)).toEqual(['outside']);
  expect(await readdir(outside)).toEqual(['file']);
});

test('a folder that is swapped for a symlink meanwhile is not followed', async () => {
  await using folder = await createTemporaryFolder();
  const outside = join(folder.path, 'outside');
  await mkdir(join(outside, 'inner'), { recursive: true });
  await writeFile(join(outside, 'inner/file'), '');
  for (let round = 0; round < 30; round++) {
    const tree = join(folder.path, `tree-${round}`);
    const victim = join(tree, 'victim');
    await mkdir(join(victim, 'inner'), { recursive: true });
    await writeFile(join(victim, 'inner/file'), '');
    const removing = removeTree(tree);
    await rename(victim, join(folder.path, `moved-${round}`)).catch(() => {});
    await symlink(outside, victim).catch(() => {});
    await removing;
    expect(existsSync(join(outside, 'inner/file'))).toBe(true);
  }
});
