import { createSilentLogger } from '@berth/kit';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTransactor } from './create-transactor.ts';
import { openAgentSqlite } from './open-agent-sqlite.ts';

async function openTransactor() {
  const database = await openAgentSqlite(':memory:', createSilentLogger());
  const transact = createTransactor(database);
  const add = (tool: string) =>
    transact(async (db) => {
      await db.insertInto('tool_modes').values({ owner: 'a', tool, mode: 'ask' }).execute();
      if (tool.startsWith('bad')) throw new Error(`${tool} fails`);
      return tool;
    });
  const tools = async () =>
    (await database.db.selectFrom('tool_modes').select('tool').orderBy('tool').execute()).map(({ tool }) => tool);
  return { database, add, tools };
}

test('concurrent work is committed or rolled back as a whole, each on its own', async () => {
  const { database, add, tools } = await openTransactor();
  const results = await Promise.allSettled(['one', 'bad one', 'two', 'bad two', 'three', 'one'].map(add));
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
    'fulfilled',
    'rejected',
  ]);
  expect(results[1]).toMatchObject({ reason: { message: 'bad one fails' } });
  expect(await tools()).toEqual(['one', 'three', 'two']);
  await database.close();
});

test('more work than fits into one transaction runs in order', async () => {
  const { database, add, tools } = await openTransactor();
  const names = Array.from({ length: 1_000 }, (_, index) => String(index).padStart(4, '0'));
  expect(await Promise.all(names.map(add))).toEqual(names);
  expect(await tools()).toEqual(names);
  await database.close();
});

test('with a closed database, all work is rejected', async () => {
  const { database, add } = await openTransactor();
  await database.close();
  const results = await Promise.allSettled(['one', 'two'].map(add));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

// Fails when works are settled before the commit.
test('work whose commit fails is rejected, all of it, and nothing is stored', async () => {
  const { database, add, tools } = await openTransactor();
  const { db } = database;
  await sql`create table parents (id text primary key)`.execute(db);
  // Checked by the commit alone.
  await sql`create table children (parent text references parents (id) deferrable initially deferred)`.execute(db);
  await sql`create trigger orphan after insert on tool_modes when new.tool = 'orphan'
    begin insert into children values ('nobody'); end`.execute(db);
  const results = await Promise.allSettled(['one', 'orphan', 'two'].map(add));
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await tools()).toEqual([]);
  expect(await add('three')).toBe('three');
  await database.close();
});
