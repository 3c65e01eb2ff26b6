import { copyFile, lstat, mkdir, readlink, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isInside } from '../host/is-inside.ts';
import { clock } from '../testing/machine.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { createProgramFinder } from './find-program.ts';
import { provideNode, provideNpm } from './provide-programs.ts';
import { findManagedFolders, findToolFolders, usableProgramFolders } from './tool-folders.ts';

async function write(path: string, content = '', mode = 0o755): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content, { mode });
  return path;
}

describe('provideNode', () => {
  test('a link to one that can be reached; the file itself where it cannot', async () => {
    await using folder = await createTemporaryFolder();
    const node = await write(join(folder.path, 'original/node'), 'one');
    const target = join(folder.path, 'toolchain/bin/node');
    await provideNode(join(folder.path, 'toolchain'), node, () => true);
    expect(await readlink(target)).toBe(node);
    await provideNode(join(folder.path, 'toolchain'), node, () => false);
    const [original, linked] = await Promise.all([lstat(node), lstat(target)]);
    expect(linked.ino).toBe(original.ino);
  });

  test('another version replaces it', async () => {
    await using folder = await createTemporaryFolder();
    const node = await write(join(folder.path, 'original/node'), 'one');
    const other = await write(join(folder.path, 'other/node'), 'other version');
    const target = join(folder.path, 'toolchain/bin/node');
    await provideNode(join(folder.path, 'toolchain'), node, () => false);
    await provideNode(join(folder.path, 'toolchain'), other, () => false);
    expect((await lstat(target)).size).toBe('other version'.length);
  });
});

describe('provideNpm', () => {
  async function createMachine(root: string) {
    const npm = join(root, 'lib/node_modules/npm');
    await write(join(npm, 'bin/npm-cli.js'), 'npm');
    await write(join(npm, 'bin/npx-cli.js'), 'npx');
    await write(join(npm, 'package.json'), '{"version":"11.0.0"}');
    await mkdir(join(root, 'bin'));
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'bin/npm'));
    // A version manager's: a program of its own that goes by the name.
    await write(join(root, 'shims/npm'), '#!/bin/sh\n');
    await mkdir(join(root, 'toolchain/bin'), { recursive: true });
    return {
      folder: join(root, 'toolchain'),
      nodePath: join(root, 'nowhere/bin/node'),
      programFolders: [join(root, 'missing'), join(root, 'shims'), join(root, 'bin')],
      npm,
    };
  }

  test('one that can be reached is linked to, past shims', async () => {
    await using folder = await createTemporaryFolder();
    const { npm, ...machine } = await createMachine(folder.path);
    expect(await provideNpm({ ...machine, isVisible: () => true, canShow: false })).toBeUndefined();
    expect(await readlink(join(machine.folder, 'bin/npx'))).toBe(join(npm, 'bin/npx-cli.js'));
  });

  test('one that cannot is shown where that is possible, copied where it is not', async () => {
    await using folder = await createTemporaryFolder();
    const { npm, ...machine } = await createMachine(folder.path);
    expect(await provideNpm({ ...machine, isVisible: () => false, canShow: true })).toBe(npm);
    expect(await readlink(join(machine.folder, 'bin/npm'))).toBe(join(npm, 'bin/npm-cli.js'));
    expect(await provideNpm({ ...machine, isVisible: () => false, canShow: false })).toBeUndefined();
    const copy = join(machine.folder, 'lib/node_modules/npm/bin/npm-cli.js');
    expect(await readlink(join(machine.folder, 'bin/npm'))).toBe(copy);
    const before = await lstat(copy);
    await provideNpm({ ...machine, isVisible: () => false, canShow: false });
    expect((await lstat(copy)).ino).toBe(before.ino);
  });

  test('none, and none is made up', async () => {
    await using folder = await createTemporaryFolder();
    const { npm: _npm, ...machine } = await createMachine(folder.path);
    const programFolders = machine.programFolders.slice(0, 2);
    expect(await provideNpm({ ...machine, programFolders, isVisible: () => true, canShow: false })).toBeUndefined();
    await expect(lstat(join(machine.folder, 'bin/npm'))).rejects.toThrow('ENOENT');
  });
});

test('of a home only known toolchains are shown, and nothing that holds a secret', async () => {
  await using folder = await createTemporaryFolder();
  for (const name of ['.pyenv/versions', '.ssh', '.local/bin', '.local/share/uv', '.deno/data', 'clone']) {
    await mkdir(join(folder.path, name), { recursive: true });
  }
  const hidden = [join(folder.path, '.deno/data'), join(folder.path, 'clone')];
  const found = findToolFolders({ homeFolder: folder.path, programFolders: [], hidden });
  expect(found).toEqual(['.local/bin', '.local/share/uv', '.pyenv'].map((name) => join(folder.path, name)));
});

test('the default toolchain of rustup and the newest patches of pyenv are found behind their shims', async () => {
  await using folder = await createTemporaryFolder();
  expect(findManagedFolders(folder.path)).toEqual({ rust: [], python: [] });
  await write(join(folder.path, '.rustup/settings.toml'), 'version = "12"\ndefault_toolchain = "stable-x86_64"\n');
  for (const name of ['3.9.18', '3.12.1', '3.12.10', '3.12.9', '2.7.18', 'pypy3.9']) {
    await mkdir(join(folder.path, '.pyenv/versions', name), { recursive: true });
  }
  // Fails when versions are sorted as text, or when Python 2 or another interpreter is taken.
  expect(findManagedFolders(folder.path)).toEqual({
    rust: [join(folder.path, '.rustup/toolchains/stable-x86_64/bin')],
    python: ['3.12.10', '3.9.18'].map((name) => join(folder.path, '.pyenv/versions', name, 'bin')),
  });
});

test("PATH of tenants: the system's and known toolchains, no project, no shims, nothing relative, nothing twice", () => {
  // Fails when what everyone may read passes: an operator's PATH names folders that are no one else's business.
  const folders = [
    '/srv/operator/bin',
    '/root/.cargo/bin',
    '/usr/bin',
    '/x/node_modules/.bin',
    '/root/.pyenv/shims',
    'relative',
    '/usr/bin',
    '/root/secret',
    '/bin',
  ];
  expect(
    usableProgramFolders(folders, ['/root/.cargo/bin', '/root/.pyenv'], (path) => !isInside(path, '/root/secret')),
  ).toEqual(['/root/.cargo/bin', '/usr/bin', '/bin']);
});

test('a program is one that really ran', async () => {
  await using folder = await createTemporaryFolder();
  const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder.path, name)) as [string, string, string];
  for (const path of [a, b, c]) await write(join(path, 'python3'));
  await write(join(a, 'plain'), '', 0o644);
  await copyFile(join(b, 'python3'), join(b, 'go'));
  const runs: string[][] = [];
  const { findProgram: find, findVersion } = createProgramFinder({
    programFolders: [a, b, c],
    isVisible: (path) => !isInside(path, a),
    async run(argv) {
      runs.push([...argv]);
      const exitCode = argv[0]?.startsWith(b) && argv[0].endsWith('python3') ? 127 : 0;
      return { exitCode, output: `version ${runs.length}.0.1-beta (2026)\n` };
    },
    clock,
  });
  expect(await Promise.all([find('python3'), find('python3')])).toEqual([join(c, 'python3'), join(c, 'python3')]);
  expect(runs).toEqual([
    [join(b, 'python3'), '--version'],
    [join(c, 'python3'), '--version'],
  ]);
  expect(await findVersion('python3')).toBe('2.0.1');
  // Fails when a version is remembered for a program that was replaced.
  await utimes(join(c, 'python3'), 1, 1);
  expect(await findVersion('python3')).toBe('4.0.1');
  expect(await findVersion('none')).toBeUndefined();
  expect(await find('go')).toBe(join(b, 'go'));
  expect(runs.at(-1)).toEqual([join(b, 'go'), 'version']);
  for (const name of ['plain', 'none', '', '../c/python3', '.']) expect(await find(name)).toBeUndefined();
});
