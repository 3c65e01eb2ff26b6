import { randomBytes } from 'node:crypto';
import { readdir, readFile, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readArchive } from '../testing/read-archive.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { packFolder } from './pack-folder.ts';

const options = (folder: string, temporaryFolder: string) => ({ folder, temporaryFolder, onWarning: () => {} });

test('the same tree gives the same bytes, whenever and wherever it was made', async () => {
  await using scratch = await createTemporaryFolder();
  await using one = await createTemporaryFolder();
  await using two = await createTemporaryFolder();
  const tree = {
    'a.txt': 'a',
    'sub/ünïcödé 日本.txt': 'b',
    'sub/run.sh': '#!/bin/sh\n',
    'z/big': Buffer.alloc(300_000, 'x'),
  };
  await one.write(tree);
  await two.write(Object.fromEntries(Object.entries(tree).reverse()));
  await one.mode('sub/run.sh', 0o700);
  await two.mode('sub/run.sh', 0o775);
  await one.mode('a.txt', 0o600);
  await utimes(path.join(two.path, 'a.txt'), 1, 1);
  await using first = await packFolder(options(one.path, scratch.path));
  await using second = await packFolder(options(two.path, scratch.path));
  const bytes = await readFile(first.file);
  expect(bytes.equals(await readFile(second.file))).toBe(true);
  expect(first.sizeBytes).toBe(bytes.length);
  // RFC 1952: no time, system unknown.
  expect(bytes.subarray(4, 8)).toEqual(Buffer.alloc(4));
  expect(bytes[9]).toBe(0xff);
});

test('entries carry names, contents and the executable bit, and nothing of this machine', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  const deep = `${'long-folder-name-'.repeat(12)}/${'n'.repeat(180)}.txt`;
  await folder.write({ 'run.sh': 'x', 'ü.txt': 'y', [deep]: 'deep', empty: '' });
  await folder.mode('run.sh', 0o755);
  await folder.link('link', 'ü.txt');
  await using packed = await packFolder(options(folder.path, scratch.path));
  const entries = await readArchive(packed.file);
  const mtimeMs = Date.UTC(1985, 9, 26, 8, 15);
  const common = { uid: 0, gid: 0, mtimeMs, target: undefined, content: '' };
  expect(entries).toEqual([
    { ...common, name: 'empty', type: 'file', mode: 0o644 },
    { ...common, name: 'link', type: 'symlink', mode: 0o777, target: 'ü.txt' },
    { ...common, name: `${path.dirname(deep)}/`, type: 'directory', mode: 0o755 },
    { ...common, name: deep, type: 'file', mode: 0o644, content: 'deep' },
    { ...common, name: 'run.sh', type: 'file', mode: 0o755, content: 'x' },
    { ...common, name: 'ü.txt', type: 'file', mode: 0o644, content: 'y' },
  ]);
  expect(packed).toMatchObject({ files: 5 });
});

test('the archive is its owner’s alone, and gone when it is disposed of', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  await folder.write({ a: 'a' });
  {
    await using packed = await packFolder(options(folder.path, scratch.path));
    expect((await stat(packed.file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(packed.file))).mode & 0o777).toBe(0o700);
  }
  expect(await readdir(scratch.path)).toEqual([]);
});

test('one too large is given up early, says what is large, and leaves nothing behind', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  await folder.write({
    'src/a.js': 'a',
    'data/raw/dump.sql': randomBytes(3_000_000),
    'data/raw/note.txt': 'x',
    'images/1.png': randomBytes(400_000),
    'images/2.png': randomBytes(400_000),
    'images/3.png': randomBytes(400_000),
  });
  const failure = packFolder({ ...options(folder.path, scratch.path), limitBytes: 1_000_000 });
  await expect(failure).rejects.toMatchObject({ code: 'archive_invalid' });
  const message = await failure.catch((error: Error) => error.message);
  expect(message).toMatch(/over 976 KiB \(4\.0 MiB unpacked\)/);
  expect(message).toMatch(/2\.9 MiB {2}data\/raw\/dump\.sql\n +1\.1 MiB {2}images\/\nAdd files/);
  expect(message).toMatch(/\.berthignore.*--volume/);
  expect(await readdir(scratch.path)).toEqual([]);
});

test('a large file goes through whole', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  const content = randomBytes(5_000_000);
  await folder.write({ big: content.toString('base64') });
  await using packed = await packFolder(options(folder.path, scratch.path));
  const [entry] = await readArchive(packed.file);
  expect(entry?.content === content.toString('base64')).toBe(true);
});

test('a folder may be reached through a link', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  await folder.write({ 'app/a': 'a' });
  await folder.link('app/absolute', path.join(folder.path, 'app/a'));
  await folder.link('current', 'app');
  await using packed = await packFolder(options(path.join(folder.path, 'current'), scratch.path));
  const entries = await readArchive(packed.file);
  expect(entries.map(({ name, target }) => [name, target])).toEqual([
    ['a', undefined],
    ['absolute', 'a'],
  ]);
});

test('an empty folder is an error, with only ignored things in it too', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  await folder.write({ 'node_modules/a': '' });
  await expect(packFolder(options(folder.path, scratch.path))).rejects.toThrow(/nothing to deploy/);
});

test('secret files are named, their examples are not', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  const files = ['.env', '.env.example', '.env.production', 'a/.env.local', 'a/env', '.environment'];
  await folder.write(Object.fromEntries(files.map((file) => [file, 'A=1'])));
  await using packed = await packFolder(options(folder.path, scratch.path));
  expect(packed.secretFiles).toEqual(['.env', '.env.production', 'a/.env.local']);
});

test('packing stops when it is told to, and leaves nothing behind', async () => {
  await using scratch = await createTemporaryFolder();
  await using folder = await createTemporaryFolder();
  await folder.write({ big: randomBytes(20_000_000) });
  const stop = new AbortController();
  const failure = packFolder({ ...options(folder.path, scratch.path), signal: stop.signal });
  stop.abort(new Error('enough'));
  await expect(failure).rejects.toThrow('enough');
  expect(await readdir(scratch.path)).toEqual([]);
});
