import { Kysely, sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openNodeSqlite } from './node-sqlite-database.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { isDiskFull, isUniqueViolation, toDatabaseError } from './to-database-error.ts';

interface Schema {
  readonly things: { readonly id: number; readonly value: unknown };
}

async function open(): Promise<Kysely<Schema>> {
  const db = new Kysely<Schema>({
    dialect: new NodeSqliteDialect({ database: openNodeSqlite(':memory:') }),
  });
  onTestFinished(() => db.destroy());
  await sql`create table things (id integer primary key, value)`.execute(db);
  return db;
}

describe('values', () => {
  // Fails when a kind of value is bound as text or refused: `false` as "false" is true for SQLite.
  test.each([
    [true, 1],
    [false, 0],
    [undefined, null],
    [null, null],
    ['', ''],
    ['a\0ü', 'a\0ü'],
    [1.5, 1.5],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [12n, 12],
    [new Uint8Array([0, 255]), new Uint8Array([0, 255])],
  ])('%s comes back as %s', async (given, stored) => {
    const db = await open();
    await db.insertInto('things').values({ id: 1, value: given }).execute();
    expect(await db.selectFrom('things').select('value').execute()).toEqual([{ value: stored }]);
    expect(await db.selectFrom('things').where('value', 'is', given).select('id').execute()).toEqual([{ id: 1 }]);
  });

  // Fails when an integer beyond a number's precision is rounded: two rows would read as one and the same.
  test('an integer that a number cannot hold is an error, not another integer', async () => {
    const db = await open();
    await db
      .insertInto('things')
      .values({ id: 1, value: 2n ** 53n + 1n })
      .execute();
    await expect(db.selectFrom('things').selectAll().execute()).rejects.toThrow(/too large/);
  });

  // Fails when such a value is stored by its `toString`.
  test.each([[{}], [[1]], [new Date(0)], [Symbol('x')]])('%s is refused', async (value) => {
    const db = await open();
    await expect(db.insertInto('things').values({ id: 1, value }).execute()).rejects.toThrow(/can't be stored/);
    expect(await db.selectFrom('things').selectAll().execute()).toEqual([]);
  });
});

describe('statements', () => {
  // Fails when `run` reports nothing: code that counts changed rows would take every write for a lost race.
  test('say how many rows they changed, and the id of a new one', async () => {
    const db = await open();
    const [inserted] = await db.insertInto('things').values({ id: 7, value: 'a' }).execute();
    expect(inserted?.insertId).toBe(7n);
    await db.insertInto('things').values({ id: 8, value: 'a' }).execute();
    const [updated] = await db.updateTable('things').set({ value: 'b' }).execute();
    expect(updated?.numUpdatedRows).toBe(2n);
    const [deleted] = await db.deleteFrom('things').where('id', '=', 9).execute();
    expect(deleted?.numDeletedRows).toBe(0n);
    const returned = await db.deleteFrom('things').where('id', '=', 7).returning('value').execute();
    expect(returned).toEqual([{ value: 'b' }]);
  });

  // Fails when a cached statement is kept with the columns of the former schema.
  test('that were prepared before a change of the schema see the new columns', async () => {
    const db = await open();
    await db.insertInto('things').values({ id: 1, value: 'a' }).execute();
    const all = () => db.selectFrom('things').selectAll().execute();
    expect(await all()).toEqual([{ id: 1, value: 'a' }]);
    await sql`alter table things add column more text default 'x'`.execute(db);
    expect(await all()).toEqual([{ id: 1, value: 'a', more: 'x' }]);
  });

  // Fails when the cache keeps the values of its first use, or dropping the oldest statement breaks one in use.
  test('are reused with other values, and any number of different ones works', async () => {
    const db = await open();
    for (let id = 1; id <= 3; id++)
      await db
        .insertInto('things')
        .values({ id, value: `v${id}` })
        .execute();
    for (let n = 0; n < 600; n++) {
      const { rows } = await sql.raw(`select ${n} as n from things where id = 1`).execute(db);
      expect(rows).toEqual([{ n }]);
    }
    const find = (id: number) => db.selectFrom('things').select('value').where('id', '=', id).execute();
    expect(await Promise.all([find(1), find(3), find(2)])).toEqual([
      [{ value: 'v1' }],
      [{ value: 'v3' }],
      [{ value: 'v2' }],
    ]);
  });

  // Fails when a broken statement is cached, or its error is not that of the text.
  test('that cannot be prepared fail each time, and no other', async () => {
    const db = await open();
    for (let round = 0; round < 2; round++) {
      await expect(sql`selekt 1`.execute(db)).rejects.toThrow(/syntax error/);
      expect((await sql`select 1 as one`.execute(db)).rows).toEqual([{ one: 1 }]);
    }
  });
});

describe('errors of SQLite', () => {
  const failure = (errcode: number) => Object.assign(new Error('as SQLite says it'), { errcode });

  // Fails when only the primary codes are known: SQLite refines almost all of them. Source: sqlite.org/rescode.html.
  test.each([
    ['SQLITE_BUSY', 5, /Another process is writing/],
    ['SQLITE_BUSY_SNAPSHOT', 517, /Another process is writing/],
    ['SQLITE_READONLY_DBMOVED', 1032, /read-only/],
    ['SQLITE_IOERR_FSYNC', 1034, /disk failed/],
    ['SQLITE_CORRUPT_INDEX', 779, /damaged/],
    ['SQLITE_NOTADB', 26, /damaged/],
    ['SQLITE_FULL', 13, /full/],
  ])('%s is unavailable', (_name, code, message) => {
    const cause = failure(code);
    const error = toDatabaseError(cause);
    expect(error).toMatchObject({ code: 'unavailable', status: 503, isRetryable: true, cause });
    expect((error as Error).message).toMatch(message);
    expect((error as Error).message).not.toContain('as SQLite says it');
  });

  // Fails when codes are compared by their low byte alone in the other functions: 19 is any constraint.
  test('others stay what they are, whatever was thrown', () => {
    for (const error of [failure(1), failure(19), failure(2067), new Error('plain'), 'text', null, undefined]) {
      expect(toDatabaseError(error)).toBe(error);
    }
  });

  test('a doubled key is told apart in both dialects, and a full disk from other faults of the disk', () => {
    const postgres = (code: string) => Object.assign(new Error('as Postgres says it'), { code });
    const unique = [failure(2067), failure(1555), postgres('23505')];
    const others = [failure(19), failure(787), failure(1299), postgres('23503'), new Error('UNIQUE'), '23505', null];
    expect([...unique, ...others].map(isUniqueViolation)).toEqual([
      ...unique.map(() => true),
      ...others.map(() => false),
    ]);
    expect([13, 4874, 10, 4618].map((code) => isDiskFull(failure(code)))).toEqual([true, true, false, false]);
    expect([null, undefined, 'full'].map(isDiskFull)).toEqual([false, false, false]);
  });
});
