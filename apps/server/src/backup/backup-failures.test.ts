import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openDatabase } from '@berth/database';
import { createFakeClock, createRecordingLogger, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { copyDatabase, createBackups } from './create-backups.ts';

let data: string;
let database: string;
let lines: string[];
let backups: ReturnType<typeof createBackups>;
beforeAll(async () => {
  data = mkdtempSync(path.join(tmpdir(), 'berth-backup-'));
  database = path.join(data, 'berth.db');
  await (await openDatabase({ file: database })).close();
});
beforeEach(() => {
  lines = [];
  backups = createBackups({
    folders: { data, database },
    workRoot: path.join(data, 'work'),
    version: '1',
    hasVolumes: true,
    hasMasterKey: true,
    buckets: [],
    databaseUrl: undefined,
    clock: createFakeClock(),
    logger: createRecordingLogger(lines),
  });
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const copy = () => path.join(data, 'backup.db');

// Fails when the mark of a running backup stays after a failure: no backup could be made until the next start.
test('a database that cannot be copied is an error, and the next backup is made', async () => {
  renameSync(database, `${database}.away`);
  await expect(backups.create()).rejects.toThrow();
  expect(existsSync(copy())).toBe(false);
  renameSync(`${database}.away`, database);
  expect((await buffer(await backups.create())).length).toBeGreaterThan(0);
  await waitUntil('the copy is removed', () => !existsSync(copy()));
});

// Fails when the copy is made beside what a killed server left: `VACUUM INTO` refuses a file that exists.
test('the copy that a killed server left is replaced', async () => {
  writeFileSync(copy(), 'half of a database');
  await buffer(await backups.create());
  await waitUntil('the copy is removed', () => !existsSync(copy()));
});

// Fails when the copy keeps the mode of a new file: it holds what the database holds, and that is private.
test('the copy is for this user only, and goes with the backup that nobody reads to its end', async () => {
  mkdirSync(path.join(data, 'work/volumes'), { recursive: true });
  writeFileSync(path.join(data, 'work/volumes/large'), Buffer.alloc(8_000_000, 1));
  const stream = await backups.create();
  expect(statSync(copy()).mode & 0o777).toBe(0o600);
  stream.on('error', () => {});
  stream.destroy();
  await waitUntil('the copy is removed', () => !existsSync(copy()));
  // Fails when a backup that broke off leaves no word.
  expect(lines.filter((line) => line.includes('backup aborted'))).toHaveLength(1);
});

test('a database is never copied over a file', async () => {
  writeFileSync(copy(), 'of somebody else');
  await expect(copyDatabase(database, copy())).rejects.toThrow();
  expect(statSync(copy()).size).toBe('of somebody else'.length);
});
