import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BerthError } from '@berth/kit';
import { createRecordingLogger } from '@berth/testkit';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Migration } from './migrate.ts';
import { type OpenSqlite, openSqlite } from './open-sqlite.ts';

interface Schema {
  readonly things: { readonly id: string; readonly name: string | null };
}

const things: Migration = {
  id: 1,
  name: 'things',
  up: (db) => db.schema.createTable('things').addColumn('id', 'text').addColumn('name', 'text').execute(),
};

let folder: string;
const opened: OpenSqlite<Schema>[] = [];
const lines: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-sqlite-'));
});

afterEach(async () => {
  vi.useRealTimers();
  for (const database of opened.splice(0)) await database.close();
  lines.length = 0;
  rmSync(folder, { recursive: true });
});

const file = () => path.join(folder, 'some.db');

async function open(migrations: readonly Migration[] = [things], name = file()): Promise<OpenSqlite<Schema>> {
  const database = await openSqlite<Schema>({ file: name, migrations, logger: createRecordingLogger(lines) });
  opened.push(database);
  return database;
}

const logged = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);

describe('opening', () => {
  // Fails when an opened schema is migrated again, or a migration goes unmentioned.
  test('brings the schema up to date, says which steps ran, and runs none twice', async () => {
    const first = await open();
    await first.db.insertInto('things').values({ id: 'a', name: null }).execute();
    await first.close();
    const more: Migration = {
      id: 2,
      name: 'more',
      up: (db) => db.schema.createTable('more').addColumn('id', 'text').execute(),
    };
    const { db } = await open([things, more]);
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([{ id: 'a', name: null }]);
    expect(logged()).toMatchObject([
      { level: 'info', migrations: ['things'] },
      { level: 'info', migrations: ['more'] },
    ]);
  });

  // Fails when `:memory:` is treated as a path: all tests and tools would share one file in the working folder.
  test('in memory makes no file, and each handle has a database of its own', async () => {
    const [one, other] = [await open([things], ':memory:'), await open([things], ':memory:')];
    await one.db.insertInto('things').values({ id: 'a', name: null }).execute();
    expect(await other.db.selectFrom('things').selectAll().execute()).toEqual([]);
    expect(existsSync(':memory:')).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  // Fails when the file is created without a mode: its rows have hashes of keys and sealed secrets.
  test('makes the file readable for its owner alone, and leaves the mode of one that is there', async () => {
    await open();
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const shared = path.join(folder, 'shared.db');
    writeFileSync(shared, '');
    chmodSync(shared, 0o640);
    await open([things], shared);
    expect(statSync(shared).mode & 0o777).toBe(0o640);
  });

  // Fails when the handle stays open after a refusal: the lock would meet the next try.
  test('that fails names the file and the reason, changes nothing, and lets go of the file', async () => {
    await (await open()).close();
    const broken: Migration = {
      id: 2,
      name: 'broken',
      async up(db) {
        await sql`insert into things values ('half', null)`.execute(db);
        throw new Error('no such thing');
      },
    };
    await expect(open([things, broken])).rejects.toMatchObject({
      code: 'unavailable',
      status: 503,
      message: `The database ${file()} can't be used. no such thing`,
    });
    expect(readdirSync(folder)).toEqual(['some.db']);
    const { db } = await open();
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([]);
  });

  // Fails when the message of `refuseUnknown` is lost on the way: the operator needs to know which version to start.
  test('refuses the file of a newer version and says which', async () => {
    const newer: Migration = { ...things, id: 2, name: 'newer', up: async () => {} };
    await (await open([things, newer])).close();
    const refused = open();
    await expect(refused).rejects.toThrow(/can't be used\. .* at schema 2 \(newer\).*supports up to 1/);
  });

  // Fails when `close` throws the second time; shutdown calls it from several places.
  test('may be followed by two closes, and by no query', async () => {
    const { db, close } = await open();
    await Promise.all([close(), close()]);
    await close();
    await expect(db.selectFrom('things').selectAll().execute()).rejects.toThrow();
  });
});

describe('transactions', () => {
  /** Another process on the file, which doesn't wait for locks. */
  function openOther(): DatabaseSync & Disposable {
    return new DatabaseSync(file(), { timeout: 0 });
  }

  // Fails with Kysely's own `begin`: a transaction that read first could not write any more after another process wrote.
  test('have the write lock from their beginning, and do not keep others from reading', async () => {
    const { db } = await open();
    using other = openOther();
    await db.transaction().execute(async (transaction) => {
      expect(await transaction.selectFrom('things').selectAll().execute()).toEqual([]);
      expect(() => other.exec(`insert into things values ('b', null)`)).toThrow(/locked/);
      await transaction.insertInto('things').values({ id: 'a', name: null }).execute();
      expect(other.prepare('select count(*) as n from things').get()).toEqual({ n: 0 });
    });
    expect(other.prepare('select count(*) as n from things').get()).toEqual({ n: 1 });
    other.exec(`insert into things values ('b', null)`);
    expect(await db.selectFrom('things').select('id').orderBy('id').execute()).toEqual([{ id: 'a' }, { id: 'b' }]);
  });

  // Fails when the rollback is sent although SQLite has rolled back already: "no transaction is active" hides the first error.
  test('that SQLite itself rolled back end with the error that made it', async () => {
    const { db } = await open();
    await sql`create unique index only on things (id)`.execute(db);
    const rolledBack = db.transaction().execute(async (transaction) => {
      await transaction.insertInto('things').values({ id: 'a', name: null }).execute();
      await sql`insert or rollback into things values ('a', null)`.execute(transaction);
    });
    await expect(rolledBack).rejects.toThrow(/UNIQUE/);
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([]);
    await db
      .transaction()
      .execute((transaction) => transaction.insertInto('things').values({ id: 'b', name: null }).execute());
    expect(await db.selectFrom('things').select('id').execute()).toEqual([{ id: 'b' }]);
  });

  // Fails when the warning is dropped, or its timer outlives a commit or a rollback.
  test('that stay open for ten seconds are reported, with the place where they began, and no others', async () => {
    const { db } = await open();
    lines.length = 0;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await db.transaction().execute(async (transaction) => {
      await transaction.selectFrom('things').selectAll().execute();
      vi.advanceTimersByTime(9_999);
    });
    const rolledBack = db.transaction().execute(async () => {
      throw new Error('stop');
    });
    await expect(rolledBack).rejects.toThrow('stop');
    vi.advanceTimersByTime(60_000);
    expect(logged()).toEqual([]);
    await db.transaction().execute(async () => {
      vi.advanceTimersByTime(10_000);
    });
    expect(logged()).toMatchObject([{ level: 'warn', stack: expect.stringContaining('started here') }]);
  });
});

describe('errors', () => {
  // Fails when SQLite's words reach the caller, or a fault of the machine counts as one of the query.
  test('of the machine are unavailable, may be retried, and keep their cause', async () => {
    const { db } = await open();
    await sql`PRAGMA query_only = 1`.execute(db);
    const error = (await db
      .insertInto('things')
      .values({ id: 'a', name: null })
      .execute()
      .then(undefined, (thrown: unknown) => thrown)) as BerthError;
    expect(error).toMatchObject({
      code: 'unavailable',
      status: 503,
      isRetryable: true,
      message: 'The database cannot be written: the file or its folder is read-only.',
      cause: { errcode: 8 },
    });
    await sql`PRAGMA query_only = 0`.execute(db);
    await db.insertInto('things').values({ id: 'a', name: null }).execute();
  });

  // Fails when every error is translated: a bug in a query would look like an outage.
  test('of the query are told as they are', async () => {
    const { db } = await open();
    const error: unknown = await sql`select * from nowhere`.execute(db).then(undefined, (thrown: unknown) => thrown);
    expect(error).toMatchObject({ message: 'no such table: nowhere', errcode: 1 });
    expect(BerthError.is(error)).toBe(false);
    // The connection is as good as before.
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([]);
  });
});
