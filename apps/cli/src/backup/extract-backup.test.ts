import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { describe, expect, test } from 'vitest';
import { type MadeEntry, makeArchive, makeBackup } from '../testing/make-backup.ts';
import { createTemporaryFolder } from '../testing/temporary-folder.ts';
import { checkBackup, extractBackup } from './extract-backup.ts';

const { signal } = new AbortController();
const check = (bytes: Buffer) => checkBackup(Readable.from([bytes]), signal);
const file = (name: string, content = 'x', more: Partial<MadeEntry> = {}): MadeEntry => ({ name, content, ...more });

describe('a backup is refused', () => {
  const cases: readonly (readonly [string, () => Promise<Buffer>, string | RegExp])[] = [
    ['that is another archive', () => makeArchive([file('data/berth.db')]), 'The file is not a Berth backup.'],
    ['without any entry', () => makeArchive([]), /The file is not a Berth backup|It is empty/],
    ['of a later version', () => makeBackup([], { format: 4, version: '9.9' }), 'made by Berth 9.9, which is newer'],
    ['whose manifest is no JSON', () => makeArchive([file('berth-backup.json', '{')]), "can't be restored"],
    ['that is no archive', async () => Buffer.from('text'), "can't be restored"],
  ];
  test.each(cases)('%s', async (_title, make, message) => {
    const failure = check(await make());
    await expect(failure).rejects.toMatchObject({ code: 'bad_request', message: expect.stringMatching(message) });
    await expect(failure).rejects.toThrow(/^This backup can't be restored; nothing was changed\. /);
  });

  // Fails when `placeOf` lets a part through: a file could be written anywhere that the user may write.
  test.each([
    'data/../../etc/passwd',
    'data/..',
    'work/./a',
    'data//a',
    'data',
    'data/',
    '/etc/passwd',
    '../a',
    'home/a',
    'constructor/a',
    '__proto__/a',
  ])('that holds "%s"', async (name) => {
    await expect(check(await makeBackup([file(name)]))).rejects.toThrow('which is not part of a backup.');
    await using folder = await createTemporaryFolder();
    const extracted = extractBackup(Readable.from([await makeBackup([file(name)])]), folder.path, signal);
    await expect(extracted).rejects.toThrow('which is not part of a backup.');
    expect(readdirSync(folder.path)).toEqual([]);
  });

  test('whose seal is missing, where its layout has one', async () => {
    const tar = pack();
    const manifest = { format: 2, version: '1.0.0', created_at: '', has_volumes: true };
    tar.entry({ name: 'berth-backup.json' }, JSON.stringify(manifest));
    tar.finalize();
    // Fails when an archive without checksums is believed to be whole.
    await expect(check(zstdCompressSync(await buffer(tar)))).rejects.toThrow(
      'The file is truncated: its end is missing.',
    );
  });
});

describe('the first layout, without checksums', () => {
  const write = async (files: readonly string[], end: string | undefined) => {
    const tar = pack();
    tar.entry({ name: 'berth-backup.json' }, JSON.stringify({ format: 1, version: '0.1.0', has_volumes: true }));
    for (const name of files) tar.entry({ name }, 'x');
    if (end !== undefined) tar.entry({ name: 'berth-backup-end.json' }, end);
    tar.finalize();
    return zstdCompressSync(await buffer(tar));
  };

  test('is whole when its end names the number of files, besides the database', async () => {
    const whole = await write(['data/berth.db', 'data/api-key', 'work/a'], '{"files":2}');
    expect(await check(whole)).toMatchObject({ files: 3, hasChecksums: false, manifest: { version: '0.1.0' } });
  });

  // Fails when the number isn't compared: a backup that was cut between two files would be restored without the rest.
  test.each([
    [['data/berth.db', 'data/api-key'], '{"files":2}'],
    [['data/berth.db'], undefined],
  ])('is refused when files are missing: %j, %j', async (files, end) => {
    await expect(check(await write(files, end))).rejects.toThrow('The file is truncated');
  });
});

describe('what is extracted', () => {
  test('has its contents, modes, times and links, and lies where the server looks for it', async () => {
    await using folder = await createTemporaryFolder();
    const mtime = new Date('2025-05-05T05:05:05Z');
    const bytes = await makeBackup([
      file('data/berth.db', 'database', { mode: 0o600 }),
      { name: 'work/artifacts', type: 'directory', mode: 0o555, mtime },
      file('work/artifacts/run.sh', '#!/bin/sh', { mode: 0o755, mtime }),
      { name: 'work/artifacts/link', type: 'symlink', linkname: '/outside/of/it' },
      file('data/deep/er/a', ''),
    ]);
    expect(await check(bytes)).toMatchObject({ files: 3, hasChecksums: true });
    await extractBackup(Readable.from([bytes]), folder.path, signal);
    const at = (name: string) => path.join(folder.path, name);
    const mode = (name: string) => lstatSync(at(name)).mode & 0o7777;
    expect(readFileSync(at('berth.db'), 'utf8')).toBe('database');
    expect([mode('berth.db'), mode('work/artifacts/run.sh'), mode('deep')]).toEqual([0o600, 0o755, 0o700]);
    // Fails when a folder is described before its files are written, which its mode may forbid and which changes its time.
    expect([mode('work/artifacts'), lstatSync(at('work/artifacts')).mtime]).toEqual([0o555, mtime]);
    expect(lstatSync(at('work/artifacts/run.sh')).mtime).toEqual(mtime);
    expect(readlinkSync(at('work/artifacts/link'))).toBe('/outside/of/it');
    // Fails when the manifest or the seal becomes a file of the data folder.
    expect(readdirSync(folder.path).sort()).toEqual(['berth.db', 'deep', 'work']);
  });

  // Fails when the mode isn't masked: a program of a tenant would run as the user who restores.
  test.each([
    ['4755', 0o4755],
    ['2755', 0o2755],
    ['1777', 0o1777],
  ])('has no set-id or sticky bit of %s', async (_octal, mode) => {
    await using folder = await createTemporaryFolder();
    const entries = [file('work/a', 'x', { mode }), { name: 'work/b', type: 'directory', mode } as const];
    await extractBackup(Readable.from([await makeBackup(entries)]), folder.path, signal);
    for (const name of ['work/a', 'work/b']) {
      expect(lstatSync(path.join(folder.path, name)).mode & 0o7777).toBe(mode & 0o777);
    }
  });

  // Fails when a folder that exists is used as it is (`mkdir` with `recursive`), or a file is written over ('w').
  test.each<[string, (outside: string) => readonly MadeEntry[]]>([
    ['through a link', (outside) => [{ name: 'work/a', type: 'symlink', linkname: outside }, file('work/a/planted')]],
    ['over a link', (outside) => [{ name: 'work/a', type: 'symlink', linkname: `${outside}/planted` }, file('work/a')]],
    ['twice', () => [file('work/a', 'one'), file('work/a', 'two')]],
  ])('is never written %s', async (_how, entriesOf) => {
    await using folder = await createTemporaryFolder();
    await using outside = await createTemporaryFolder();
    const bytes = await makeBackup(entriesOf(outside.path));
    await expect(extractBackup(Readable.from([bytes]), folder.path, signal)).rejects.toThrow('EEXIST');
    expect(readdirSync(outside.path)).toEqual([]);
  });
});

test('a check and an extraction end with the reason of their signal', async () => {
  await using folder = await createTemporaryFolder();
  const stop = AbortSignal.abort(new Error('enough'));
  const bytes = await makeBackup([file('data/a')]);
  await expect(checkBackup(Readable.from([bytes]), stop)).rejects.toThrow('enough');
  await expect(extractBackup(Readable.from([bytes]), folder.path, stop)).rejects.toThrow('enough');
  expect(readdirSync(folder.path)).toEqual([]);
});
