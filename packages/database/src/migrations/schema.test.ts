import { createHash } from 'node:crypto';
import { migrate, NodeSqliteDialect, openNodeSqlite } from '@berth/sqlite';
import { Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { MIGRATIONS } from './index.ts';

/** The first digits of the SHA-256 of the schema after each released migration. */
const SCHEMAS: Readonly<Record<string, string>> = {
  accounts: '2180f256bddf78bd',
  deployments: '0f9391ce29791e03',
  domains: 'be1fad096fe7363f',
  billing: '18d6f45d12fe7230',
  schedules: '38a8d72e78605f9e',
  volumes: 'a9003f1171d0652d',
  resource_usage: '7cfa8bb498165132',
  identity: '97c9f20ba3d05645',
  'log-segments': 'b3df8496a5396ecf',
  members: 'c66ea4dcef8eb604',
  'deploy-actors': '7201b343f056d80b',
  passkeys: '70297881dda2bb69',
  'deploy-releases': '77e5cf526eff8ffd',
};

// Fails when a column, a key or an index of a released migration changes, also by a constraint that migrations share.
test('every released migration makes the schema that it was released with', async () => {
  const db = new Kysely<unknown>({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(':memory:') }) });
  const made: Record<string, string> = {};
  for (const [index, { name }] of MIGRATIONS.entries()) {
    await migrate(db, MIGRATIONS.slice(0, index + 1));
    const { rows } = await sql`select type, name, sql from sqlite_master order by name`.execute(db);
    // A later version added a column to the list of migrations itself.
    const text = JSON.stringify(rows).replace(', \\"serves_from\\" integer', '');
    made[name] = createHash('sha256').update(text).digest('hex').slice(0, 16);
  }
  await db.destroy();
  expect(made).toMatchObject(SCHEMAS);
});
