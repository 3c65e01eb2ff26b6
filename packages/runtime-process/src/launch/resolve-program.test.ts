import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { resolveProgram } from './resolve-program.ts';

test('in PATH, by path, and what cannot be run', async () => {
  await using folder = await createTemporaryFolder();
  const [one, two] = [join(folder.path, 'one'), join(folder.path, 'two')];
  for (const path of [one, two, join(one, 'tool-folder')]) await mkdir(path);
  await writeFile(join(one, 'plain'), '');
  await writeFile(join(two, 'plain'), '', { mode: 0o755 });
  await writeFile(join(two, 'tool'), '', { mode: 0o755 });
  await symlink(join(two, 'tool'), join(one, 'link'));
  const resolve = (name: string, programPath = `${one}:${two}`) =>
    resolveProgram({ name, programPath, workingFolder: folder.path, identity: undefined });

  expect(resolve('tool')).toEqual({ kind: 'found', path: join(two, 'tool') });
  // One that may not be run is passed over, as execvp does.
  expect(resolve('plain')).toEqual({ kind: 'found', path: join(two, 'plain') });
  expect(resolve('link')).toEqual({ kind: 'found', path: join(one, 'link') });
  expect(resolve('./two/tool')).toEqual({ kind: 'found', path: join(two, 'tool') });
  expect(resolve('tool', 'two')).toEqual({ kind: 'found', path: join(two, 'tool') });
  expect(resolve('./one/plain')).toEqual({ kind: 'missing', problem: './one/plain is not executable' });
  for (const name of ['none', '', './none', 'tool-folder', './one']) {
    expect(resolve(name)).toMatchObject({ kind: 'missing', problem: expect.stringContaining('not found') });
  }
});

test('by the rights of who will run it', async () => {
  await using folder = await createTemporaryFolder();
  const path = join(folder.path, 'tool');
  await writeFile(path, '');
  const gid = process.getgid?.() ?? 0;
  const resolve = (group: number) =>
    resolveProgram({
      name: path,
      programPath: '',
      workingFolder: '/',
      identity: { uid: 700_001, gid: group, accountGid: 700_000 },
    }).kind;
  await chmod(path, 0o710);
  expect([resolve(gid), resolve(700_001)]).toEqual(['found', 'missing']);
  await chmod(path, 0o701);
  expect([resolve(gid), resolve(700_001)]).toEqual(['missing', 'found']);
});
