import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSilentLogger } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/postgres/testing';
import { migrate, NodeSqliteDialect, openNodeSqlite } from '@berth/sqlite';
import fc from 'fast-check';
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS } from '../migrations/index.ts';
import { openDatabase } from '../open-database.ts';
import type { Database } from '../schema/index.ts';
import {
  type CopyDatabaseOptions,
  completeCopy,
  copyInto,
  copyToPostgres,
  copyToSqlite,
  countTables,
  requireNewestSchema,
} from './copy-database.ts';
import type { AdaptedValue, AnyDatabase } from './copy-rows.ts';
import { holdSchema, readSchemaState, releaseCopy } from './held-copy.ts';
import { readTables } from './read-tables.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

const logger = createSilentLogger();
/** Tables of leases, which stay behind. */
const RUNNING = ['gateways', 'instance_reports', 'partitions'];
/** More than a batch. */
const MANY_ROWS = 1_203;

describe.skipIf(!programs)(programs ? 'a copy of the database' : `a copy of the database: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let folder: string;
  let schemas = 0;
  let adapted: AdaptedValue[];
  beforeAll(async () => {
    server = await startPostgres(programs as string);
    folder = mkdtempSync(path.join(tmpdir(), 'copy-'));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    adapted = [];
    schemas++;
  });

  const options = (more: Partial<CopyDatabaseOptions> = {}): CopyDatabaseOptions => ({
    file: path.join(folder, `${schemas}.db`),
    url: server.url,
    schema: `copy_${schemas}`,
    logger,
    signal: new AbortController().signal,
    onProgress: () => {},
    onAdapted: (value) => void adapted.push(value),
    ...more,
  });
  const openPlace = async (place: Parameters<typeof openDatabase>[0]) => {
    const opened = await openDatabase(place);
    onTestFinished(opened.close);
    return opened.db as unknown as AnyDatabase;
  };

  // Fails when a table, a column or a row is missed, or when a value is not the same after it was in the other database.
  test('to Postgres and back has every row of every table as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        schemas++;
        const { file, url, schema } = options();
        const before = await fill(file, seed);
        const digests = await copyToPostgres(options());
        await completeCopy(options());
        const back = `${file}.back`;
        expect(await copyToSqlite(options({ file: back }))).toEqual(digests);
        expect(await dump(back)).toEqual(before);
        expect(digests.map(({ table }) => table).sort()).toEqual(Object.keys(before).sort());
        const inPostgres = await (await openPlace({ url, ...(schema && { schema }) })).introspection.getTables();
        const names = inPostgres.filter((table) => table.schema === schema).map(({ name }) => name);
        expect([...Object.keys(before), ...RUNNING, 'schema_migrations'].sort()).toEqual(names.sort());
        for (const rows of Object.values(before)) expect(rows.length).toBeGreaterThan(1);
        expect(adapted).toEqual([]);
      }),
      { numRuns: 3 },
    );
  });

  // Fails when an interrupted copy begins anew, counts as complete, or when a row that was copied before and changed since stays old.
  test.each([false, true])('goes on after an interruption (the source changed meanwhile: %s)', async (isChanged) => {
    const { file, url, schema } = options();
    await fill(file, 1);
    const stopping = new AbortController();
    const onProgress: CopyDatabaseOptions['onProgress'] = ({ table, copied }) => {
      if (table === 'audit_log' && copied > 0) stopping.abort(new Error('killed'));
    };
    await expect(copyToPostgres(options({ onProgress, signal: stopping.signal }))).rejects.toThrow('killed');
    await expect(openDatabase({ url, ...(schema && { schema }) })).rejects.toThrow('incomplete copy');
    await expect(completeCopy(options())).rejects.toMatchObject({ code: 'conflict' });
    await expect(copyToSqlite(options({ file: `${file}.back` }))).rejects.toMatchObject({ code: 'conflict' });
    if (isChanged) await change(file, sql`update accounts set plan = 'changed'`);
    const first: number[] = [];
    const onFirst: CopyDatabaseOptions['onProgress'] = ({ table, copied }) =>
      table === 'audit_log' && first.push(copied);
    const digests = await copyToPostgres(options({ onProgress: onFirst }));
    expect(first[0]).toBeGreaterThan(0);
    await completeCopy(options());
    expect(await copyToSqlite(options({ file: `${file}.back` }))).toEqual(digests);
    expect(await dump(`${file}.back`)).toEqual(await dump(file));
  });

  // Fails when a copied platform waits for gateways that ran on the other side, or when their leases keep the copy from being made.
  test('leaves the leases of servers behind', async () => {
    const { file, url, schema } = options();
    await fill(file, 5);
    const lease = sql`insert into gateways values ('a', '10.0.0.1:7947', 0, 9000000000000)`;
    const partition = sql`insert into partitions values (0, 'a', 7)`;
    for (const statement of [lease, partition]) await change(file, statement);
    const digests = await copyToPostgres(options());
    expect(digests.filter(({ table }) => RUNNING.includes(table))).toEqual([]);
    expect((await countTables({ file })).filter(({ table }) => RUNNING.includes(table))).toEqual([]);
    await completeCopy(options());
    const db = await openPlace({ url, ...(schema && { schema }) });
    for (const table of RUNNING) expect((await sql`select * from ${sql.table(table)}`.execute(db)).rows).toEqual([]);
    for (const statement of [lease, partition]) await statement.execute(db);
    await copyToSqlite(options({ file: `${file}.back` }));
    await using back = await openSide(`${file}.back`);
    for (const table of RUNNING) {
      expect((await sql`select * from ${sql.table(table)}`.execute(back.db)).rows).toEqual([]);
    }
  });

  test('back goes on after an interruption', async () => {
    const { file } = options();
    const before = await fill(file, 2);
    await copyToPostgres(options());
    await completeCopy(options());
    const back = `${file}.back`;
    const stopping = new AbortController();
    const onProgress: CopyDatabaseOptions['onProgress'] = ({ table, copied }) => {
      if (table === 'audit_log' && copied > 0) stopping.abort(new Error('killed'));
    };
    await expect(copyToSqlite(options({ file: back, onProgress, signal: stopping.signal }))).rejects.toThrow('killed');
    await copyToSqlite(options({ file: back }));
    expect(await dump(back)).toEqual(before);
  });

  // Fails when rows of another platform are mixed with those of this one.
  test('into a schema that has rows is refused', async () => {
    const { file, url, schema } = options();
    await fill(file, 3);
    const db = await openPlace({ url, ...(schema && { schema }) });
    await sql`insert into accounts values ('acc', 'acme', 'free', 0, 1)`.execute(db);
    await expect(copyToPostgres(options())).rejects.toMatchObject({ code: 'conflict' });
    expect((await sql`select * from accounts`.execute(db)).rows).toHaveLength(1);
  });

  // Fails when a row that Postgres refuses ends the move, or is changed without a word.
  test('says which values it had to change', async () => {
    const { file } = options();
    await fill(file, 4);
    await change(file, sql`insert into accounts values ('odd', ${'a\0b'}, 'free', 0, 1.6)`);
    const digests = await copyToPostgres(options());
    expect(adapted).toEqual([
      { table: 'accounts', key: ['odd'], column: 'name', reason: 'NUL characters became U+FFFD' },
      { table: 'accounts', key: ['odd'], column: 'created_at', reason: '1.6 was rounded to an integer' },
    ]);
    const counts = await countTables({ file });
    expect(digests.map(({ table, rows }) => ({ table, rows }))).toEqual(counts);
  });

  // Fails when a database of an older version is copied into tables that it doesn't have.
  test('of an older version is migrated when a server opens it', async () => {
    const { file, url, schema } = options();
    const older = new Kysely<unknown>({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(file) }) });
    await migrate(older, MIGRATIONS.slice(0, 10));
    await sql`insert into accounts values ('acc', 'acme', 'free', 0, 1)`.execute(older);
    await older.destroy();
    await expect(requireNewestSchema({ file })).rejects.toThrow('older version of Berth');
    await copyToPostgres(options());
    await completeCopy(options());
    const db = await openPlace({ url, ...(schema && { schema }) });
    expect((await sql`select id from accounts`.execute(db)).rows).toEqual([{ id: 'acc' }]);
    expect((await sql`select * from schema_migrations`.execute(db)).rows).toHaveLength(MIGRATIONS.length);
  });

  // Fails when a server could start on a copy before it was changed for it, or a change that failed is left half done.
  test('of another Postgres database is held back until it is released, and released as a whole', async () => {
    const { file, url, schema } = options();
    await fill(file, 6);
    await copyToPostgres(options());
    await completeCopy(options());
    const target = { url, schema: `${schema}_held`, logger };
    expect(await readSchemaState(target)).toBe('empty');
    const counted = await countTables({ file });
    await sql`alter schema ${sql.id(schema ?? '')} rename to berth`.execute(await openPlace({ url, schema: 'other' }));
    const digests = await copyInto({ ...options(target), source: { url } });
    expect(digests.map(({ table, rows }) => ({ table, rows }))).toEqual(counted);
    expect(await readSchemaState(target)).toBe('held');
    await expect(openDatabase(target)).rejects.toThrow('incomplete copy');
    const add = (db: Kysely<Database>) => sql`insert into leases values ('x', 'y', 1, 1)`.execute(db);
    const failing = releaseCopy(target, async (db) => {
      await add(db);
      throw new Error('no room');
    });
    await expect(failing).rejects.toThrow('no room');
    expect(await readSchemaState(target)).toBe('held');
    await releaseCopy(target, async (db) => void (await add(db)));
    expect(await readSchemaState(target)).toBe('used');
    await expect(releaseCopy(target, async () => {})).rejects.toMatchObject({ code: 'conflict' });
    await holdSchema(target);
    await holdSchema(target);
    expect(await readSchemaState(target)).toBe('held');
    await releaseCopy(target, async () => {});
    const db = await openPlace(target);
    expect((await sql`select * from leases where name = 'x'`.execute(db)).rows).toHaveLength(1);
  });

  test('from a database without tables is refused', async () => {
    await expect(copyToSqlite(options())).rejects.toMatchObject({ code: 'not_found' });
    expect(existsSync(options().file)).toBe(false);
  });
});

async function openSide(file: string) {
  const db: AnyDatabase = new Kysely({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(file) }) });
  return { db, [Symbol.asyncDispose]: () => db.destroy() };
}

async function change(file: string, statement: ReturnType<typeof sql>): Promise<void> {
  await using side = await openSide(file);
  await statement.execute(side.db);
}

/** Creates a database with random rows in every table. Returns them. */
async function fill(file: string, seed: number): Promise<Record<string, readonly unknown[]>> {
  await (await openDatabase({ file, isSyncedInline: true })).close();
  {
    await using side = await openSide(file);
    const text = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), { seed, numRuns: 500 });
    // Different ones, for unique columns.
    const integers = [...new Set(fc.sample(fc.maxSafeInteger(), { seed, numRuns: 500 }))];
    const doubles = fc.sample(fc.double({ noNaN: true, noDefaultInfinity: true }), { seed, numRuns: 500 });
    let serial = 0;
    const rowsOf = new Map<string, Record<string, unknown>[]>();
    for (const table of await readTables(side.db as Kysely<unknown>)) {
      const { rows: keys } = await sql<{ from: string; to: string; table: string }>`
        select "from", "to", "table" from pragma_foreign_key_list(${table.name})`.execute(side.db);
      const { rows: types } = await sql<{ name: string; type: string; notnull: number }>`
        select name, type, "notnull" from pragma_table_info(${table.name})`.execute(side.db);
      const count = table.name === 'audit_log' ? MANY_ROWS : 5;
      const rows = Array.from({ length: count }, (_row, index) =>
        Object.fromEntries(
          types.map(({ name, type, notnull }) => {
            serial++;
            const key = keys.find(({ from }) => from === name);
            if (key) return [name, rowsOf.get(key.table)?.[index % 5]?.[key.to]];
            if (!notnull && !table.key.includes(name) && index === 3) return [name, null];
            if (/int/i.test(type))
              return [name, table.key.includes(name) ? serial : integers[serial % integers.length]];
            if (/double/i.test(type)) return [name, doubles[serial % 500]];
            // Unique, and without what Postgres refuses.
            return [name, `${text[serial % 500]?.toWellFormed().replaceAll('\0', '')}${serial}`];
          }),
        ),
      );
      for (let start = 0; start < rows.length; start += 500) {
        await side.db
          .insertInto(table.name)
          .values(rows.slice(start, start + 500))
          .execute();
      }
      rowsOf.set(table.name, rows);
    }
  }
  return dump(file);
}

/** Returns every row of every table, by the name of the table. */
async function dump(file: string): Promise<Record<string, readonly unknown[]>> {
  await using side = await openSide(file);
  const all: Record<string, readonly unknown[]> = {};
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_master where type = 'table' and name <> 'schema_migrations' and name not like 'sqlite%'`.execute(
    side.db,
  );
  for (const { name } of tables) {
    if (RUNNING.includes(name)) continue;
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(side.db);
    all[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return all;
}
