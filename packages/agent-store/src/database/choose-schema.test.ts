import { createSilentLogger } from '@berth/kit';
import { findPostgres, NO_POSTGRES, startPostgres, type TestPostgres } from '@berth/postgres/testing';
import { migrate } from '@berth/sqlite';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OwnerKey } from '../ports/owner-key.ts';
import { createSqlStores } from '../sql/create-sql-stores.ts';
import { schemaNameOf } from './choose-schema.ts';
import { agentMigrations } from './migrations.ts';
import { openAgentPostgres } from './open-agent-postgres.ts';

const programs = findPostgres();
if (!programs && process.env['CI'] === 'true') throw new Error(`CI must have everything, and this ${NO_POSTGRES}`);
const logger = createSilentLogger();
const ALICE = 'alice' as OwnerKey;

// Fails when long names are cut without a hash.
test('names of schemas are valid and differ', () => {
  expect(schemaNameOf('my-helper')).toBe('agent_my_helper');
  const long = ['a', 'b'].map((end) => schemaNameOf(`${'x'.repeat(62)}${end}`));
  expect(new Set(long).size).toBe(2);
  for (const name of long) expect(name).toMatch(/^agent_x+_[0-9a-f]{8}$/);
  expect(long.map(({ length }) => length)).toEqual([63, 63]);
});

describe.skipIf(!programs)(programs ? 'on a real Postgres' : `schemas of agents: ${NO_POSTGRES}`, () => {
  let server: TestPostgres;
  let url: string;
  let count = 0;

  beforeAll(async () => {
    server = await startPostgres(programs as string);
  }, 120_000);
  afterAll(() => server?.close());
  beforeEach(async () => {
    const name = `d${++count}`;
    await query(server.url, `create database ${name}`);
    url = server.url.replace('test@/postgres', `test@/${name}`);
  });

  async function query(at: string, text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client(at);
    await client.connect();
    try {
      return (await client.query(text)).rows as Record<string, unknown>[];
    } finally {
      await client.end();
    }
  }

  const open = async (name: string, project = 'p', at = url) =>
    createSqlStores(await openAgentPostgres({ url: at, agent: { name, project }, logger }));

  /** Creates the tables of an earlier version, with a chat, in the URL's default schema. */
  async function openEarlier(): Promise<void> {
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) });
    await migrate(db, agentMigrations('postgres').slice(0, 6));
    await sql`insert into chats (owner, id, title, title_folded, created_at, updated_at, cost_micro_usd, meta, generation, next_seq)
      values ('alice', 'old', 'Old', 'old', 1, 1, 0, '{}', 0, 1)`.execute(db);
    await db.destroy();
  }

  // Fails when the search path is not set: both agents then read the tables of one schema.
  test('agents of two names share one database and nothing in it', async () => {
    const [one, two] = [await open('one'), await open('two-b')];
    await one.settings.setToolMode(ALICE, 'read', 'ask');
    await one.chats.patch(ALICE, 'c1', { title: 'One' }, 1);
    expect(await two.settings.toolModes(ALICE)).toEqual({});
    expect(await two.chats.find(ALICE, 'c1')).toBeUndefined();
    await Promise.all([one.close(), two.close()]);
    const again = await open('one');
    expect(await again.chats.find(ALICE, 'c1')).toMatchObject({ title: 'One' });
    await again.close();
    const schemas = await query(url, "select nspname from pg_namespace where nspname like 'agent%' order by nspname");
    expect(schemas).toEqual([{ nspname: 'agent_one' }, { nspname: 'agent_two_b' }]);
  });

  // Fails when the owner's row is not compared, or is written again by the second agent.
  test('an agent of the same name in another project is refused, with what to do', async () => {
    const first = await open('helper', 'acc_1/helper');
    const refused = open('helper', 'acc_2/helper');
    await expect(refused).rejects.toMatchObject({ code: 'conflict' });
    await expect(refused).rejects.toThrow(
      'The schema "agent_helper" of DATABASE_URL belongs to the agent "helper" of another project (acc_1/helper); this is ' +
        'acc_2/helper. To keep the two apart, rename this agent or set DATABASE_URL to another database. If this is the same ' +
        'agent in a new place, set BERTH_AGENT_PROJECT=acc_1/helper to continue with its data.',
    );
    await first.close();
    await (await open('helper', 'acc_1/helper')).close();
  });

  // Fails when the schema is chosen and recorded without a lock over all instances.
  test('of two projects that start together one gets the schema', async () => {
    const starts = await Promise.allSettled(['a', 'b', 'a', 'b'].map((project) => open('helper', project)));
    const opened = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    expect(opened).toHaveLength(2);
    await Promise.all(opened.map(({ close }) => close()));
  });

  // Fails when a new schema is made beside the tables of an earlier version, or when the next agent takes them as well.
  test('tables of an earlier version stay where they are and belong to the agent that continues with them', async () => {
    await openEarlier();
    const heir = await open('helper');
    expect((await heir.chats.list(ALICE, { limit: 10 })).map(({ id }) => id)).toEqual(['old']);
    const other = await open('other');
    expect(await other.chats.list(ALICE, { limit: 10 })).toEqual([]);
    await expect(open('helper', 'another')).rejects.toThrow('The schema "public" of DATABASE_URL belongs to the agent');
    await Promise.all([heir.close(), other.close()]);
    const again = await open('helper');
    await again.chats.patch(ALICE, 'new', { title: 'New' }, 2);
    await again.close();
    expect(await query(url, 'select id from public.chats order by id')).toEqual([{ id: 'new' }, { id: 'old' }]);
    expect(await query(url, 'select * from public.berth_agent')).toEqual([{ id: 1, name: 'helper', project: 'p' }]);
  });

  // Fails when a search path in the URL is replaced by the agent's own schema: its tables would be out of sight.
  test('a search_path in the URL chooses the schema, which is checked too', async () => {
    await query(url, 'create schema chosen');
    const at = `${url}&options=${encodeURIComponent('-c search_path=chosen')}`;
    const stores = await open('helper', 'p', at);
    await stores.chats.patch(ALICE, 'c1', { title: 'One' }, 1);
    await stores.close();
    expect(await query(url, 'select id from chosen.chats')).toEqual([{ id: 'c1' }]);
    await expect(open('other', 'p', at)).rejects.toThrow(
      'The schema "chosen" of DATABASE_URL belongs to the agent "helper"; this one is "other". Leave search_path out',
    );
    await expect(open('helper', 'p', at.replace('chosen', 'none'))).rejects.toThrow(
      'The schema in the search_path of DATABASE_URL does not exist.',
    );
  });

  // Fails when the missing privilege is reported in the words of Postgres alone.
  test('a role that may not create schemas uses one that was created for it', async () => {
    await query(url, 'create role plain login');
    const at = url.replace('test@', 'plain@');
    await expect(open('helper', 'p', at)).rejects.toThrow(
      "The agent's schema can't be created. Let the database's owner run: create schema agent_helper authorization plain",
    );
    await query(url, 'create schema agent_helper authorization plain');
    const stores = await open('helper', 'p', at);
    await stores.chats.patch(ALICE, 'c1', { title: 'One' }, 1);
    await stores.close();
  });
});
