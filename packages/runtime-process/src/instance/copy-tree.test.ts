import { chmod, lstat, mkdir, readdir, readFile, readlink, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { copyTree, TreeTooLargeError } from './copy-tree.ts';

async function createTree() {
  const folder = await createTemporaryFolder();
  const source = join(folder.path, 'source');
  for (const name of ['src/deep', 'node_modules/dep', 'packages/a/node_modules', 'empty']) {
    await mkdir(join(source, name), { recursive: true });
  }
  await writeFile(join(source, 'src/deep/file'), 'content');
  await writeFile(join(source, 'src/run'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(source, 'read-only'), 'x', { mode: 0o444 });
  await writeFile(join(source, 'node_modules/dep/index.js'), 'large');
  await symlink('src/run', join(source, 'link'));
  await symlink('/nowhere', join(source, 'dangling'));
  return { folder, source, target: join(folder.path, 'target') };
}

const ALL = { identity: undefined, sharedFolders: [], maxBytes: 1e6 };

test('copies files with their modes, links as links, and leaves the original alone', async () => {
  const { folder, source, target } = await createTree();
  await using _ = folder;
  const bytes = await copyTree({ ...ALL, source, target });
  expect(bytes).toBe('content'.length + '#!/bin/sh\n'.length + 1 + 'large'.length);
  expect(await readFile(join(target, 'src/deep/file'), 'utf8')).toBe('content');
  expect((await lstat(join(target, 'src/run'))).mode & 0o777).toBe(0o755);
  expect((await lstat(join(target, 'read-only'))).mode & 0o777).toBe(0o644);
  expect(await readlink(join(target, 'link'))).toBe('src/run');
  expect(await readlink(join(target, 'dangling'))).toBe('/nowhere');
  await writeFile(join(target, 'src/deep/file'), 'changed');
  expect(await readFile(join(source, 'src/deep/file'), 'utf8')).toBe('content');
  expect(await readdir(join(target, 'empty'))).toEqual([]);
});

test('shared folders become links to the original, however deep', async () => {
  const { folder, source, target } = await createTree();
  await using _ = folder;
  const sharedFolders = ['node_modules', 'packages/a/node_modules', 'not-there'];
  await copyTree({ ...ALL, source, target, sharedFolders });
  expect(await readlink(join(target, 'node_modules'))).toBe(join(source, 'node_modules'));
  expect(await readlink(join(target, 'packages/a/node_modules'))).toBe(join(source, 'packages/a/node_modules'));
  expect(await readdir(target)).not.toContain('not-there');
});

test('stops at the limit; what is shared does not count', async () => {
  const { folder, source, target } = await createTree();
  await using _ = folder;
  await writeFile(join(source, 'node_modules/dep/big'), 'x'.repeat(1_000));
  await copyTree({ ...ALL, source, target, sharedFolders: ['node_modules'], maxBytes: 100 });
  await expect(copyTree({ ...ALL, source, target: `${target}2`, maxBytes: 100 })).rejects.toThrow(TreeTooLargeError);
});

test.skipIf(process.getuid?.() !== 0)(
  'the copy is its owner’s, all of it (skipped unless root runs the tests)',
  async () => {
    const { folder, source, target } = await createTree();
    await using _ = folder;
    await chmod(source, 0o750);
    await copyTree({ ...ALL, source, target, identity: { uid: 700_001, gid: 700_001, accountGid: 700_000 } });
    for (const name of ['', ...(await readdir(target, { recursive: true }))]) {
      const { uid, gid } = await lstat(join(target, name));
      expect([name, uid, gid]).toEqual([name, 700_001, 700_001]);
    }
  },
);
