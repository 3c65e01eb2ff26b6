import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/postgres/testing';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../open-database.ts';
import type { DumpedTable } from './dumped-table.ts';
import { loadDump } from './load-dump.ts';
import { openDump } from './open-dump.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);

const ACCOUNT = { id: 'acc_1', name: 'acme', plan: 'free', is_operator: 1, created_at: 1 };
/** A text with everything that a format could stumble over. */
const AWKWARD = 'a\tb\nc\\d"e\u{1f600}\u2028%_\'';

describe.skipIf(!programs)(programs ? 'a dump of Postgres' : `a dump of Postgres: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let folder: string;
  beforeAll(async () => {
    server = await startPostgres(programs as string);
    folder = mkdtempSync(path.join(tmpdir(), 'berth-dump-'));
  });
  afterAll(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const createEmpty = async (name: string) => {
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query(`create database ${name}`);
    await client.end();
    return server.url.replace('/postgres?', `/${name}?`);
  };
  /** A database with an account, and a user of it that refers to it by a key. */
  const fill = async (url: string) => {
    const { db, close } = await openDatabase({ url });
    await db.insertInto('accounts').values(ACCOUNT).execute();
    await db
      .insertInto('sealing_keys')
      .values({ key_id: AWKWARD, number: 1, created_at: 2 ** 52 + 1 })
      .execute();
    return { db, close };
  };
  const read = async (url: string) => {
    await using dump = await openDump(url);
    const chunks = new Map<string, string[]>();
    for (const table of dump.tables) chunks.set(table.name, await Array.fromAsync(dump.chunks(table)));
    return {
      tables: dump.tables,
      async *chunks({ name }: DumpedTable) {
        yield* chunks.get(name) ?? [];
      },
    };
  };

  it('is loaded into an empty database, and into SQLite, as it was', async () => {
    const [from, to] = [await createEmpty('from_1'), await createEmpty('to_1')];
    const source = await fill(from);
    const dump = await read(from);
    const count = await loadDump({ target: { url: to }, ...dump });
    const file = path.join(folder, 'berth.db');
    expect(await loadDump({ target: { file }, ...dump })).toBe(count);
    for (const place of [{ url: to }, { file }]) {
      const loaded = await openDatabase(place);
      for (const table of ['accounts', 'sealing_keys'] as const) {
        const rows = await loaded.db.selectFrom(table).selectAll().execute();
        expect(rows).toEqual(await source.db.selectFrom(table).selectAll().execute());
        expect(rows).toHaveLength(1);
      }
      await loaded.close();
    }
    await source.close();
  });

  // Fails when the tables are a list: rows of one that was added later are not part of any backup.
  it('has every table of the platform, partitions once, and no leases of servers or tables of anyone else', async () => {
    const url = await createEmpty('from_2');
    const { db, close } = await fill(url);
    await sql`create schema berth_more`.execute(db);
    await sql`create schema agent_shop`.execute(db);
    await sql`create table agent_shop.chats (id text)`.execute(db);
    await sql`create table berth_more.blocks (slot integer, body bytea) partition by list (slot)`.execute(db);
    await sql`create table berth_more.blocks_0 partition of berth_more.blocks for values in (0)`.execute(db);
    await sql`insert into berth_more.blocks values (0, '\\x00ff')`.execute(db);
    await using dump = await openDump(url);
    const names = dump.tables.filter(({ schema }) => schema === 'berth').map(({ name }) => name);
    const { rows } = await sql<{
      name: string;
    }>`select tablename as name from pg_tables where schemaname = 'berth'`.execute(db);
    const running = ['gateways', 'instance_reports', 'partitions'];
    expect([...names, ...running].toSorted()).toEqual(rows.map(({ name }) => name).sort());
    const others = dump.tables.filter(({ schema }) => schema !== 'berth');
    expect(others).toEqual([{ schema: 'berth_more', name: 'blocks', columns: ['slot', 'body'] }]);
    expect(await Array.fromAsync(dump.chunks(others[0] as DumpedTable))).toEqual(['{"slot":0,"body":"\\\\x00ff"}\n']);
    await close();
  });

  // Fails when a restored platform waits for gateways that ran when the backup was made.
  it('of a version that wrote leases of servers is loaded without them', async () => {
    const [from, to] = [await createEmpty('from_7'), await createEmpty('to_7')];
    const source = await fill(from);
    await source.close();
    const dump = await read(from);
    const lease = { schema: 'berth', name: 'gateways', columns: ['id', 'address', 'is_leaving', 'expires_at'] };
    const older = {
      tables: [...dump.tables, lease],
      async *chunks(table: DumpedTable) {
        if (table === lease) yield '{"id":"a","address":"10.0.0.1:7947","is_leaving":0,"expires_at":9000000000000}\n';
        else yield* dump.chunks(table);
      },
    };
    const file = path.join(folder, 'older.db');
    for (const target of [{ url: to }, { file }]) {
      await loadDump({ target, ...older });
      const loaded = await openDatabase(target);
      expect(await loaded.db.selectFrom('gateways').selectAll().execute()).toEqual([]);
      expect(await loaded.db.selectFrom('accounts').selectAll().execute()).toHaveLength(1);
      await loaded.close();
    }
  });

  // Fails with a transaction for each table, or one that sees later commits.
  it('is of one moment', async () => {
    const url = await createEmpty('from_3');
    const { db, close } = await fill(url);
    await using dump = await openDump(url);
    await db.deleteFrom('sealing_keys').execute();
    const table = dump.tables.find(({ name }) => name === 'sealing_keys') as DumpedTable;
    expect(await Array.fromAsync(dump.chunks(table))).toHaveLength(1);
    await close();
  });

  it('comes in chunks of bounded size', async () => {
    const url = await createEmpty('from_4');
    const { db, close } = await fill(url);
    const body = 'x'.repeat(100_000);
    await sql`create schema berth_more`.execute(db);
    await sql`create table berth_more.blocks as select n, ${body}::text as body from generate_series(1, 200) n`.execute(
      db,
    );
    await using dump = await openDump(url);
    const table = dump.tables.find(({ schema }) => schema === 'berth_more') as DumpedTable;
    let lines = 0;
    for await (const chunk of dump.chunks(table)) {
      expect(chunk.length).toBeLessThan(3 * 2 ** 20);
      lines += chunk.trimEnd().split('\n').length;
    }
    expect(lines).toBe(200);
    await close();
  });

  it('is refused by a database that has rows, and by an older version, before anything is changed', async () => {
    const [from, to] = [await createEmpty('from_5'), await createEmpty('to_5')];
    const source = await fill(from);
    await source.close();
    const dump = await read(from);
    const { db, close } = await fill(to);
    await expect(loadDump({ target: { url: to }, ...dump })).rejects.toMatchObject({ code: 'conflict' });
    expect(await db.selectFrom('accounts').selectAll().execute()).toHaveLength(1);
    await close();
    const newer = {
      tables: dump.tables,
      async *chunks(table: DumpedTable) {
        yield* dump.chunks(table);
        if (table.name === 'schema_migrations') yield '{"id":9999,"name":"later","applied_at":0}\n';
      },
    };
    const empty = await createEmpty('empty_5');
    await expect(loadDump({ target: { url: empty }, ...newer })).rejects.toThrow('newer version of Berth');
    const client = new pg.Client(empty);
    await client.connect();
    expect((await client.query("select 1 from pg_namespace where nspname = 'berth'")).rows).toEqual([]);
    await client.end();
  });

  // Fails without the transaction around all tables: a second try finds rows and is refused.
  it('leaves an empty database when it breaks off, and can be loaded again', async () => {
    const [from, to] = [await createEmpty('from_6'), await createEmpty('to_6')];
    const { close } = await fill(from);
    await close();
    const dump = await read(from);
    const broken = {
      tables: dump.tables,
      async *chunks(table: DumpedTable) {
        if (table.name === 'sealing_keys') throw new Error('broken off');
        yield* dump.chunks(table);
      },
    };
    await expect(loadDump({ target: { url: to }, ...broken })).rejects.toThrow('broken off');
    expect(await loadDump({ target: { url: to }, ...dump })).toBeGreaterThan(1);
  });
});
