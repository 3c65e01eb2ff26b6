import { createSilentLogger } from '@berth/kit';
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { openAgentSqlite } from '../database/open-agent-sqlite.ts';
import { OWNED_TABLES } from './purge-workspace-rows.ts';

it('lists every table that has an owner', async () => {
  const { db, close } = await openAgentSqlite(':memory:', createSilentLogger());
  const { rows } = await sql<{ name: string }>`
    select tables.name from sqlite_master tables join pragma_table_info(tables.name) columns
    where tables.type = 'table' and columns.name = 'owner'
  `.execute(db);
  await close();
  expect(rows.map(({ name }) => name).sort()).toEqual([...OWNED_TABLES].sort());
});
