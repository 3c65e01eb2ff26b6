import { chmod, lstat, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { prepareWorkRoot, serverHash } from './work-root.ts';

async function createPlace() {
  const folder = await createTemporaryFolder();
  await chmod(folder.path, 0o755);
  const dataFolder = join(folder.path, 'data');
  await mkdir(dataFolder, { mode: 0o700 });
  const open = join(folder.path, 'open');
  const closed = join(folder.path, 'closed');
  await mkdir(open);
  await chmod(open, 0o755);
  await mkdir(closed, { mode: 0o700 });
  return { folder, dataFolder, open, closed, name: `berth-${serverHash(dataFolder)}` };
}

test('in the data folder, unless services could not reach it there', async () => {
  const { folder, dataFolder, open } = await createPlace();
  await using _ = folder;
  const options = { dataFolder, publicFolders: [open] };
  expect(await prepareWorkRoot({ ...options, needsPublic: false })).toBe(join(dataFolder, 'work'));
});

test('in the first public folder that all may enter, and it stays there', async () => {
  const { folder, dataFolder, open, closed, name } = await createPlace();
  await using _ = folder;
  const options = { dataFolder, publicFolders: [join(folder.path, 'missing'), closed, open] };
  const before = process.umask(0o077);
  const path = await prepareWorkRoot({ ...options, needsPublic: true }).finally(() => process.umask(before));
  expect(path).toBe(join(open, name));
  expect((await lstat(path)).mode & 0o777).toBe(0o711);
  expect(await prepareWorkRoot({ ...options, needsPublic: true })).toBe(path);
  expect(await prepareWorkRoot({ ...options, needsPublic: false })).toBe(path);
});

test('one that somebody else could have made is not taken', async () => {
  const { folder, dataFolder, open, name } = await createPlace();
  await using _ = folder;
  const options = { dataFolder, publicFolders: [open], needsPublic: true };
  await mkdir(join(folder.path, 'elsewhere'));
  await symlink(join(folder.path, 'elsewhere'), join(open, name));
  await expect(prepareWorkRoot(options)).rejects.toThrow('No usable folder');
});

test('one that others may write is not taken', async () => {
  const { folder, dataFolder, open, name } = await createPlace();
  await using _ = folder;
  await mkdir(join(open, name));
  await chmod(join(open, name), 0o777);
  await expect(prepareWorkRoot({ dataFolder, publicFolders: [open], needsPublic: true })).rejects.toThrow(
    'No usable folder',
  );
});
