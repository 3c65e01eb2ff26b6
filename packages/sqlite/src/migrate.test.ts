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
