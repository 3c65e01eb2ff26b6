import { migrate, NodeSqliteDialect, openNodeSqlite } from '@berth/sqlite';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { MIGRATIONS } from './index.ts';

const open = () => new Kysely<unknown>({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(':memory:') }) });

test('the list has no gaps and its steps run on an empty database', async () => {
  expect(MIGRATIONS.length).toBeGreaterThan(0);
  expect(MIGRATIONS.map(({ id }) => id)).toEqual(MIGRATIONS.map((_migration, index) => index + 1));
  expect(await migrate(open(), MIGRATIONS)).toEqual(MIGRATIONS.map(({ name }) => name));
});

test('every column has a type that both dialects know', async () => {
  const db = open();
  await migrate(db, MIGRATIONS);
  const types = new Set(
    (await db.introspection.getTables()).flatMap(({ columns }) =>
      columns.map(({ dataType }) => dataType.toLowerCase()),
    ),
  );
  expect([...types].filter((type) => !['text', 'integer', 'bigint', 'double precision'].includes(type))).toEqual([]);
});
