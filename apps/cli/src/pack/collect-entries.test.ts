import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { mkdir, rename, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTemporaryFolder, type TemporaryFolder } from '../testing/temporary-folder.ts';
import { collectEntries } from './collect-entries.ts';

async function files(folder: TemporaryFolder, below = ''): Promise<string[]> {
  const entries = await collectEntries(path.join(folder.path, below));
  return entries.filter((entry) => entry.kind === 'file').map((entry) => entry.path);
}

const empty = (...paths: string[]) => Object.fromEntries(paths.map((file) => [file, '']));

describe('what is left out', () => {
  test('dependencies, history and a server’s data folder, at any depth and whatever is said', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write({
      ...empty('a.js', 'node_modules/x/i.js', 'p/node_modules/y.js', '.git/config', '.berth/api-key', 'p/.svn/x'),
      '.berthignore': '!node_modules\n!.git\n!.berth\n',
    });
    expect(await files(folder)).toEqual(['.berthignore', 'a.js']);
  });

  test('what .gitignore names, also in deeper folders, where it has the last word', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write({
      ...empty('a.log', 'b.txt', 'sub/a.log', 'sub/keep.log', 'sub/b.txt', 'build/out.js', 'sub/build/out.js'),
      '.gitignore': '*.log\n/build/\n',
      'sub/.gitignore': '!keep.log\nb.txt\n',
    });
    expect(await files(folder)).toEqual(['.gitignore', 'b.txt', 'sub/.gitignore', 'sub/build/out.js', 'sub/keep.log']);
  });

  test('.berthignore adds to .gitignore and takes back from it', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write({
      ...empty('dist/a.js', 'dist/b.map', 'docs/x.md', 'src/a.ts'),
      '.gitignore': 'dist/\n',
      '.berthignore': '!dist/\n*.map\ndocs\n',
    });
    expect(await files(folder)).toEqual(['.berthignore', '.gitignore', 'dist/a.js', 'src/a.ts']);
  });

  test('a deeper .berthignore takes back a folder that a .gitignore above leaves out', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write({
      ...empty(
        '.git/HEAD',
        'apps/web/dist/index.html',
        'apps/web/dist/x.map',
        'apps/web/src/a.ts',
        'apps/web/dist/deep/a.js',
      ),
      '.gitignore': 'dist/\n*.map\n',
      'apps/web/.berthignore': '!dist/\n/src\n',
    });
    const expected = ['.berthignore', 'dist/deep/a.js', 'dist/index.html'];
    expect(await files(folder, 'apps/web')).toEqual(expected);
    expect(await files(folder, 'apps')).toEqual(expected.map((file) => `web/${file}`));
  });

  test('what interpreters and desktops leave, unless it is taken back', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write(
      empty('a.py', '__pycache__/a.pyc', 'p/__pycache__/b.pyc', '.DS_Store', 'env/pyvenv.cfg', 'env/bin/x'),
    );
    const warnings: string[] = [];
    const entries = await collectEntries(folder.path, { onWarning: (message) => warnings.push(message) });
    expect(entries.map((entry) => entry.path)).toEqual(['a.py', 'p']);
    expect(warnings).toEqual([expect.stringContaining('env is skipped')]);
    await folder.write({ '.berthignore': '!*.pyc\n!__pycache__/\n' });
    expect(await files(folder)).toContain('__pycache__/a.pyc');
  });

  test('what the repository’s own .gitignore names, for a folder inside of it', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write({
      ...empty('.git/HEAD', 'apps/api/.env', 'apps/api/a.js', 'apps/api/gen/x.js', 'dist/index.html', 'dist/.env'),
      '.gitignore': '.env\n/dist/\n',
      'apps/.gitignore': '/api/gen\n',
    });
    expect(await files(folder, 'apps/api')).toEqual(['a.js']);
    // Deployed on purpose although git leaves it out: then its patterns say nothing about what is in it.
    expect(await files(folder, 'dist')).toEqual(['.env', 'index.html']);
  });
});

describe('what git would leave out', () => {
  // No é: git compares bytes, so its `?` is half of one; here it is one character.
  const name = fc.constantFrom('a', 'b', 'A', 'c.log', 'dist', 'x y', '.d', '[b]', '#c');
  const filePath = fc.array(name, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
  const part = fc.oneof(name, fc.constantFrom('*', '**', '*.log', '?', '[ab]', 'di*'));
  const pattern = fc
    .tuple(
      fc.constantFrom('', '', '', '!'),
      fc.constantFrom('', '/'),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/'),
    )
    .map(([not, root, parts, end]) => not + root + parts.join('/') + end);
  const ignoreFile = fc.array(pattern, { minLength: 1, maxLength: 4 }).map((lines) => lines.join('\n'));
  const tree = fc.record({
    paths: fc.uniqueArray(filePath, { minLength: 1, maxLength: 12 }),
    ignoreFiles: fc.dictionary(fc.constantFrom('', 'a/', 'dist/', 'a/b/', 'x y/', '[b]/', '#c/a/'), ignoreFile, {
      minKeys: 1,
      maxKeys: 3,
    }),
  });

  test('is left out here too', { timeout: 60_000 }, async ({ skip }) => {
    try {
      execFileSync('git', ['--version']);
    } catch {
      skip('git is not installed, and is what this is compared with');
    }
    await fc.assert(
      fc.asyncProperty(tree, async ({ paths, ignoreFiles }) => {
        await using folder = await createTemporaryFolder();
        // A path that needs a folder where another has a file is left away.
        const fitting = paths.filter((one) => !paths.some((other) => one.startsWith(`${other}/`)));
        await folder.write(empty(...fitting));
        for (const [place, text] of Object.entries(ignoreFiles)) {
          const isFile = fitting.some((file) => place.startsWith(`${file}/`));
          if (!isFile) await folder.write({ [`${place}.gitignore`]: text });
        }
        const options: ExecFileSyncOptions = { cwd: folder.path, stdio: ['ignore', 'pipe', 'ignore'] };
        execFileSync('git', ['init', '-q'], options);
        const listed = execFileSync(
          'git',
          ['ls-files', '-z', '--others', '--exclude-per-directory=.gitignore'],
          options,
        );
        expect((await files(folder)).sort()).toEqual(listed.toString().split('\0').filter(Boolean).sort());
      }),
      { numRuns: 100 },
    );
  });
});

describe('links', () => {
  test('inside are kept, relative, and not followed', async () => {
    await using folder = await createTemporaryFolder();
    await folder.write({ 'sub/a.txt': 'a' });
    await folder.link('sub/up', '..');
    await folder.link('b.txt', 'sub/a.txt');
    await folder.link('absolute', path.join(folder.path, 'sub/a.txt'));
    await folder.link('sub/absolute', path.join(folder.path, 'b.txt'));
    await folder.link('missing', 'nowhere');
    const links = (await collectEntries(folder.path)).filter((entry) => entry.kind === 'link');
    expect(links.map(({ path: file, target }) => [file, target])).toEqual([
      ['absolute', 'sub/a.txt'],
      ['b.txt', 'sub/a.txt'],
      ['missing', 'nowhere'],
      ['sub/absolute', '../b.txt'],
      ['sub/up', '..'],
    ]);
  });

  test.each([['../outside'], ['/etc/passwd'], ['sub/../../outside']])('to %s are refused by name', async (target) => {
    await using folder = await createTemporaryFolder();
    await folder.write({ 'sub/a.txt': 'a' });
    await folder.link('evil', target);
    await expect(collectEntries(folder.path)).rejects.toMatchObject({
      code: 'archive_invalid',
      message: expect.stringMatching(/^evil is a symlink to outside/),
    });
    await folder.write({ '.berthignore': 'evil\n' });
    expect(await files(folder)).toEqual(['.berthignore', 'sub/a.txt']);
  });

  test('that lead outside by way of another link are refused', async () => {
    await using folder = await createTemporaryFolder();
    await using outside = await createTemporaryFolder();
    await outside.write({ 'secret.txt': 's' });
    await folder.write({ 'a/b/x': '' });
    await folder.link('a/b/top', '../..');
    await folder.link('chain', `a/b/top/../${path.basename(outside.path)}/secret.txt`);
    await expect(collectEntries(folder.path)).rejects.toThrow(/^chain is a symlink to outside/);
  });
});

test('the order is that of names, whatever order they were made in, and a folder comes before what is in it', async () => {
  await using folder = await createTemporaryFolder();
  await folder.write(empty('b/z', 'a-b', 'a/y', 'B', 'é', 'a.txt'));
  await mkdir(path.join(folder.path, 'empty'));
  const before = await collectEntries(folder.path);
  expect(before.map((entry) => entry.path)).toEqual(['B', 'a', 'a/y', 'a-b', 'a.txt', 'b', 'b/z', 'empty', 'é']);
  await rename(path.join(folder.path, 'B'), path.join(folder.path, 'tmp'));
  await rename(path.join(folder.path, 'tmp'), path.join(folder.path, 'B'));
  await utimes(path.join(folder.path, 'B'), 1, 1);
  expect(await collectEntries(folder.path)).toEqual(before);
});

test('what is neither file nor link is skipped with a word', async () => {
  await using folder = await createTemporaryFolder();
  await folder.write(empty('a'));
  const server = createServer().listen(path.join(folder.path, 'socket'));
  await new Promise((resolve) => server.once('listening', resolve));
  const warnings: string[] = [];
  const entries = await collectEntries(folder.path, { onWarning: (message) => warnings.push(message) });
  await new Promise((resolve) => server.close(resolve));
  expect(entries.map((entry) => entry.path)).toEqual(['a']);
  expect(warnings).toEqual([expect.stringContaining('socket is skipped')]);
});
