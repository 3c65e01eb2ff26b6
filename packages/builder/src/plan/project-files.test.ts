import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createFolderFiles, filterFiles, findFile } from './project-files.ts';

test('the first file of a list is found in the order of the list; folders do not count', async () => {
  await using folder = await createTemporaryFolder();
  const files = createFolderFiles(folder.path);
  await mkdir(join(folder.path, 'main.py'));
  for (const name of ['app.py', 'server.py']) await writeFile(join(folder.path, name), '');
  // Fails when a folder of that name is taken for the file.
  expect(await findFile(files, ['main.py', 'server.py', 'app.py'])).toBe('server.py');
  expect(await filterFiles(files, ['main.py', 'server.py', 'run.py', 'app.py'])).toEqual(['server.py', 'app.py']);
  expect(await findFile(files, ['run.py'])).toBeUndefined();
});

test('what is missing, a folder or too large is read as nothing; what is far too large is refused', async () => {
  await using folder = await createTemporaryFolder();
  const files = createFolderFiles(folder.path);
  await writeFile(join(folder.path, 'small'), 'text');
  await symlink('loop', join(folder.path, 'loop'));
  expect(await files.readText('small')).toBe('text');
  // Fails when a link that leads to itself is an error of the build.
  for (const path of ['none', '.', 'small/below', 'loop']) expect(await files.readText(path), path).toBeUndefined();
  expect(await files.readText('small', { skipOverBytes: 3 })).toBeUndefined();
  await truncate(join(folder.path, 'small'), 16 * 2 ** 20 + 1);
  await expect(files.readText('small')).rejects.toMatchObject({ code: 'build_failed' });
});
