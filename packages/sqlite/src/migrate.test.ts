import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { type Migration, migrate } from './migrate.ts';
import { openNodeSqlite } from './node-sqlite-database.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';

const open = () => new Kysely<unknown>({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(':memory:') }) });

const table = (id: number, name: string): Migration => ({
  id,
  name,
  up: (db) => db.schema.createTable(name).addColumn('id', 'text').execute(),
});

async function tables(db: Kysely<unknown>): Promise<string[]> {
  return (await db.introspection.getTables()).map(({ name }) => name).sort();
}

test('runs what is new, in order, once', async () => {
  const db = open();
  expect(await migrate(db, [table(1, 'one')])).toEqual(['one']);
  expect(await migrate(db, [table(1, 'one'), table(2, 'two')])).toEqual(['two']);
  expect(await migrate(db, [table(1, 'one'), table(2, 'two')])).toEqual([]);
  expect(await tables(db)).toEqual(['one', 'schema_migrations', 'two']);
});

test('a step that fails leaves the schema at the step before it', async () => {
  const db = open();
  const broken: Migration = {
    id: 2,
    name: 'broken',
    async up(handle) {
      await handle.schema.createTable('half').addColumn('id', 'text').execute();
      await sql`select * from no_such_table`.execute(handle);
    },
  };
  await expect(migrate(db, [table(1, 'one'), broken])).rejects.toThrow('no_such_table');
  expect(await tables(db)).toEqual(['one', 'schema_migrations']);
  expect(await migrate(db, [table(1, 'one'), table(2, 'two')])).toEqual(['two']);
});

test('refuses a database that is newer than the code', async () => {
  const db = open();
  await migrate(db, [table(1, 'one'), table(2, 'two'), table(3, 'three')]);
  const older = migrate(db, [table(1, 'one'), table(2, 'two')]);
  await expect(older).rejects.toMatchObject({ code: 'unavailable' });
  await expect(older).rejects.toThrow(
    'at schema 3 (three), which this version of Berth does not support: it supports up to 2',
  );
});

test('refuses a database of another line of migrations', async () => {
  const db = open();
  await migrate(db, [table(1, 'one'), table(2, 'other')]);
  await expect(migrate(db, [table(1, 'one'), table(2, 'two'), table(3, 'three')])).rejects.toThrow(
    'at schema 2 (other), which this version of Berth does not support',
  );
});

// Fails when a server of the release before can't start again during a rolling upgrade, or one from before that can.
test('accepts a newer database that serves it, until a step does not', async () => {
  const db = open();
  const two = { ...table(2, 'two'), servesFrom: 1 };
  const three = { ...table(3, 'three'), servesFrom: 2 };
  await migrate(db, [table(1, 'one'), two]);
  expect(await migrate(db, [table(1, 'one')])).toEqual([]);
  await migrate(db, [table(1, 'one'), two, three]);
  expect(await migrate(db, [table(1, 'one'), two])).toEqual([]);
  await expect(migrate(db, [table(1, 'one')])).rejects.toThrow('at schema 3 (three)');
  expect(await migrate(db, [table(1, 'one'), two, three])).toEqual([]);
});

test('continues a database of a version that recorded less about its steps', async () => {
  const db = open();
  await sql`create table schema_migrations (id integer primary key, name text not null, applied_at bigint not null)`.execute(
    db,
  );
  await sql`insert into schema_migrations values (1, 'one', 1)`.execute(db);
  expect(await migrate(db, [table(1, 'one'), { ...table(2, 'two'), servesFrom: 1 }])).toEqual(['two']);
  const { rows } = await sql`select id, serves_from from schema_migrations order by id`.execute(db);
  expect(rows).toEqual([
    { id: 1, serves_from: null },
    { id: 2, serves_from: 1 },
  ]);
});
