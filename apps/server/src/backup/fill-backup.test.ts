import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { EntryHeader } from '@berth/builder/sealed-archive';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fillBackup } from './fill-backup.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'berth-fill-'));
  write('backup.db', 'rows');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const at = (name: string) => path.join(root, name);
function write(name: string, content: string | Buffer): void {
  mkdirSync(path.dirname(at(name)), { recursive: true });
  writeFileSync(at(name), content);
}

/** Fills a backup and returns its entries in order. `onEntry` runs after a header, before its content is read. */
async function fill(
  { hasVolumes = true }: { readonly hasVolumes?: boolean } = {},
  onEntry: (name: string) => void = () => {},
) {
  const entries: { readonly header: EntryHeader; readonly text: string }[] = [];
  await fillBackup(
    async (header, content = []) => {
      onEntry(header.name);
      const chunks: Buffer[] = [];
      for await (const chunk of content) chunks.push(chunk);
      entries.push({ header, text: Buffer.concat(chunks).toString('latin1') });
    },
    {
      hasVolumes,
      hasMasterKey: true,
      buckets: [],
      version: '1.2.3',
      database: at('backup.db'),
      dataFolder: at('data'),
      workRoot: at('work'),
      nowMs: Date.UTC(2026, 0, 2),
    },
  );
  const find = (name: string) => entries.find(({ header }) => header.name === name);
  return { entries, find, names: entries.map(({ header }) => header.name) };
}

test('the manifest comes first and says what a restore has to know', async () => {
  const { entries } = await fill({ hasVolumes: false });
  expect(entries.map(({ header }) => header.name)).toEqual(['berth-backup.json', 'data/berth.db']);
  expect(JSON.parse(entries[0]?.text ?? '')).toEqual({
    format: 2,
    database: 'sqlite',
    buckets: [],
    has_master_key: true,
    version: '1.2.3',
    created_at: '2026-01-02T00:00:00.000Z',
    has_volumes: false,
    work_root: at('work'),
  });
});

// Fails when `exactly` yields what it reads: the archive would then have another length than its header says.
test.each([
  ['shrinks', 10, `${'x'.repeat(10)}${'\0'.repeat(599_990)}`],
  ['grows', 900_000, 'x'.repeat(600_000)],
])('a file that %s while it is copied has the size of its header', async (_what, size, expected) => {
  const name = 'work/volumes/acc/v/file';
  write(name, 'x'.repeat(600_000));
  const { find } = await fill({}, (entry) => {
    if (entry === name) truncateSync(at(name), size);
  });
  expect(find(name)?.header.size).toBe(600_000);
  expect(find(name)?.text === expected).toBe(true);
});

// Fails when an entry that vanished after the folder was listed ends the backup.
test('what is deleted between two looks is left out, and the rest comes', async () => {
  for (const file of ['a', 'b', 'c']) write(`work/volumes/acc/v/${file}`, file);
  const { names } = await fill({}, (entry) => {
    if (entry === 'work/volumes/acc/v/a') rmSync(at('work/volumes/acc/v/b'));
  });
  expect(names.filter((name) => name.startsWith('work/volumes/acc/v/'))).toEqual([
    'work/volumes/acc/v/a',
    'work/volumes/acc/v/c',
  ]);
});

// Fails when a folder is opened by its path, following links: a service could have the server's own files backed up
// into its volume.
test('a folder that a service replaces by a link is not followed', async () => {
  write('outside/secret', 'of the server');
  write('work/volumes/acc/v/sub/file', 'x');
  const { names, entries } = await fill({}, (entry) => {
    if (entry !== 'work/volumes/acc/v/sub') return;
    renameSync(at('work/volumes/acc/v/sub'), at('work/volumes/acc/v/was-sub'));
    symlinkSync(at('outside'), at('work/volumes/acc/v/sub'));
  });
  expect(names.filter((name) => name.includes('secret'))).toEqual([]);
  expect(entries.map(({ text }) => text).join()).not.toContain('of the server');
});

// Fails when neither the listing nor the open file tells a pipe from a file: the backup would wait for a writer.
test('a pipe without a writer is passed over', async () => {
  mkdirSync(at('work/volumes/acc/v'), { recursive: true });
  execFileSync('mkfifo', [at('work/volumes/acc/v/pipe')]);
  write('work/volumes/acc/v/z', 'z');
  const { names } = await fill();
  expect(names).toContain('work/volumes/acc/v/z');
  expect(names.join()).not.toContain('pipe');
});

// Fails when modes go out as they are: a restore would give away setuid programs. Owners belong to this server alone.
test('entries have modes without setuid, times, targets of links, and no owners', async () => {
  write('data/master.key', 'key');
  chmodSync(at('data/master.key'), 0o600);
  write('work/artifacts/acc/app/r1/run', '#!/bin/sh');
  chmodSync(at('work/artifacts/acc/app/r1/run'), 0o6755);
  utimesSync(at('work/artifacts/acc/app/r1/run'), 0, 1_000);
  symlinkSync('../elsewhere', at('work/artifacts/acc/app/r1/link'));
  const { find } = await fill();
  expect(find('data/master.key')?.header).toMatchObject({ mode: 0o600, size: 3, type: 'file' });
  expect(find('work/artifacts/acc/app/r1/run')?.header).toMatchObject({ mode: 0o755, mtime: new Date(1_000_000) });
  expect(find('work/artifacts/acc/app/r1/link')?.header).toMatchObject({
    type: 'symlink',
    linkname: '../elsewhere',
    size: 0,
  });
  for (const owner of ['uid', 'gid', 'uname', 'gname'])
    expect(find('data/master.key')?.header).not.toHaveProperty(owner);
});

// Fails when one of the parts is dropped from the list: what it holds is lost with the machine.
test('every part of the data and the work folder comes, and nothing of this machine or process', async () => {
  for (const part of ['master.key', 'api-key', 'runtime-kind']) write(`data/${part}`, part);
  for (const folder of ['certificates', 'acme', 'logs']) write(`data/${folder}/file`, folder);
  for (const folder of ['volumes', 'artifacts', 'archives']) write(`work/${folder}/file`, folder);
  const left = [
    'data/server-id',
    'data/place.json',
    'data/state.lock',
    'data/reserve',
    'data/compiled/x',
    'work/cache/x',
  ];
  for (const name of [...left, 'data/logs/.incoming/x', 'work/volumes/.incoming/x']) write(name, 'left out');
  const { entries, names } = await fill();
  expect(names.filter((name) => !/\/(?:certificates|acme|logs|volumes|artifacts|archives)$/.test(name))).toEqual([
    'berth-backup.json',
    'data/berth.db',
    'data/master.key',
    'data/api-key',
    'data/certificates/file',
    'data/acme/file',
    'data/logs/file',
    'data/runtime-kind',
    'work/volumes/file',
    'work/artifacts/file',
    'work/archives/file',
  ]);
  expect(entries.map(({ text }) => text)).not.toContain('left out');
});

test('an empty folder is kept', async () => {
  mkdirSync(at('work/volumes/acc/v/empty'), { recursive: true });
  expect((await fill()).find('work/volumes/acc/v/empty')?.header).toMatchObject({ type: 'directory', size: 0 });
});
