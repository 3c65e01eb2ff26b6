import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLogSync, type LogFileSystem } from './log-sync.ts';
import { openNodeSqlite } from './node-sqlite-database.ts';
import { createCommitWatch, NodeSqliteDialect } from './node-sqlite-dialect.ts';

/** Syncs that end when the test says so. */
function createSlowDisk() {
  const syncs: { end(error?: Error): void }[] = [];
  const opened: string[] = [];
  let closed = 0;
  const fileSystem: LogFileSystem = {
    async open(file) {
      opened.push(file);
      return 7;
    },
    fdatasync: () =>
      new Promise((resolve, reject) => {
        syncs.push({ end: (error) => (error ? reject(error) : resolve()) });
      }),
    async close() {
      closed++;
    },
  };
  return { syncs, opened, fileSystem, closed: () => closed };
}

/** Lets everything happen that waits for nothing but promises. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-log-sync-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function open() {
  const disk = createSlowDisk();
  const file = path.join(folder, 'some.db');
  const database = openNodeSqlite(file);
  const log = createLogSync(database.logFile ?? '', disk.fileSystem);
  const commits = createCommitWatch();
  const db = new Kysely<{ things: { id: string } }>({
    dialect: new NodeSqliteDialect({ database, log, commits, logger: createSilentLogger() }),
  });
  const created = db.schema.createTable('things').addColumn('id', 'text').execute();
  await settle();
  disk.syncs.shift()?.end();
  await created;
  /** Adds a row; `isDone` once that is acknowledged. */
  const add = (id: string) => {
    const state = { isDone: false, error: undefined as unknown };
    const work = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('things').values({ id }).execute();
    });
    void work.then(
      () => {
        state.isDone = true;
      },
      (error: unknown) => {
        state.error = error;
      },
    );
    return state;
  };
  const ids = async () => (await db.selectFrom('things').select('id').orderBy('id').execute()).map(({ id }) => id);
  return { disk, db, add, ids, file, onCommit: commits.onCommit };
}

// Fails when a commit is acknowledged before its sync, and when the connection is held during it.
test('a commit is acknowledged when its log is on disk, and others read and write meanwhile', async () => {
  const { disk, add, ids, db, file } = await open();
  const one = add('a');
  await settle();
  expect({ isDone: one.isDone, syncs: disk.syncs.length, opened: disk.opened }).toEqual({
    isDone: false,
    syncs: 1,
    opened: [`${file}-wal`],
  });
  expect(await ids()).toEqual(['a']);
  const statement = db.insertInto('things').values({ id: 'b' }).execute();
  await settle();
  disk.syncs[0]?.end();
  await settle();
  expect(one.isDone).toBe(true);
  expect(disk.syncs).toHaveLength(2);
  disk.syncs[1]?.end();
  await statement;
  // Reading has synced nothing.
  await ids();
  await db.transaction().execute(async (transaction) => {
    await transaction.selectFrom('things').selectAll().execute();
  });
  expect(disk.syncs).toHaveLength(2);
  await db.destroy();
  expect(disk.closed()).toBe(1);
});

// Fails when commits during a sync count on it (it may have begun before them), and when each gets a sync of its own.
test('commits that come during a sync share the next one', async () => {
  const { disk, add, db } = await open();
  const first = add('a');
  await settle();
  const others = ['b', 'c', 'd'].map(add);
  await settle();
  disk.syncs[0]?.end();
  await settle();
  expect([first, ...others].map(({ isDone }) => isDone)).toEqual([true, false, false, false]);
  expect(disk.syncs).toHaveLength(2);
  disk.syncs[1]?.end();
  await settle();
  expect(others.map(({ isDone }) => isDone)).toEqual([true, true, true]);
  expect(disk.syncs).toHaveLength(2);
  await db.destroy();
});

// Fails when a later sync passes: the kernel reports lost pages once. Fails too when Kysely's rollback reaches another transaction.
test('a failed sync refuses its commit and all that follow, and rolls no other transaction back', async () => {
  const { disk, add, db, ids } = await open();
  const one = add('a');
  await settle();
  const finish = Promise.withResolvers<void>();
  const other = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('things').values({ id: 'b' }).execute();
    await finish.promise;
    return await transaction.selectFrom('things').select('id').execute();
  });
  await settle();
  disk.syncs[0]?.end(new Error('EIO'));
  await settle();
  expect(one.error).toMatchObject({ code: 'unavailable', status: 503, cause: new Error('EIO') });
  finish.resolve();
  await expect(other).rejects.toMatchObject({ code: 'unavailable' });
  expect(disk.syncs).toHaveLength(1);
  expect(await ids()).toEqual(['a', 'b']);
  await db.destroy();
});

// Fails when what shall begin at the commit begins only after the sync, at a statement before, or after a rollback with the next commit.
test('a commit is told before its sync, and a rollback never', async () => {
  const { disk, db, add, onCommit } = await open();
  const told: string[] = [];
  const refused = db.transaction().execute(async (transaction) => {
    onCommit(() => told.push('refused'));
    await transaction.insertInto('things').values({ id: 'a' }).execute();
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  const work = db.transaction().execute(async (transaction) => {
    onCommit(() => told.push('committed'));
    await transaction.insertInto('things').values({ id: 'b' }).execute();
    expect(told).toEqual([]);
  });
  await settle();
  expect([told, disk.syncs.length]).toEqual([['committed'], 1]);
  disk.syncs[0]?.end();
  await work;
  add('c');
  await settle();
  disk.syncs[1]?.end();
  await settle();
  expect(told).toEqual(['committed']);
  await db.destroy();
});

// Fails when a rolled-back transaction waits for the disk, and when closing does not wait for a transaction that runs.
test('a rollback needs no sync, and closing waits for the transaction that runs', async () => {
  const { disk, db } = await open();
  const refused = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('things').values({ id: 'a' }).execute();
    throw new Error('no');
  });
  await expect(refused).rejects.toThrow('no');
  expect(disk.syncs).toHaveLength(0);
  const finish = Promise.withResolvers<void>();
  const last = db.transaction().execute(async (transaction) => {
    await finish.promise;
    await sql`insert into things values ('z')`.execute(transaction);
  });
  await settle();
  const closed = db.destroy();
  finish.resolve();
  await settle();
  disk.syncs[0]?.end();
  await Promise.all([last, closed]);
});

// Fails when the file is not that of the log, or can't be synced: `fdatasync` of the real file.
test('the real log is synced', async () => {
  const database = openNodeSqlite(path.join(folder, 'real.db'));
  const log = createLogSync(database.logFile ?? '');
  database.prepare('create table things (id text)').run([]);
  await log.sync();
  await log.close();
  database.close();
  const missing = createLogSync(path.join(folder, 'missing.db-wal'));
  await expect(missing.sync()).rejects.toMatchObject({ code: 'unavailable' });
  await missing.close();
});
