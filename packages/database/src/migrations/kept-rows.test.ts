import { migrate, NodeSqliteDialect, openNodeSqlite } from '@berth/sqlite';
import { type InsertObject, Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../schema/index.ts';
import { MIGRATIONS } from './index.ts';

/** A database as the version with `count` migrations left it. */
async function openAt(count: number): Promise<Kysely<Database>> {
  const dialect = new NodeSqliteDialect({ database: openNodeSqlite(':memory:') });
  const db = new Kysely<Database>({ dialect });
  onTestFinished(() => db.destroy());
  await migrate(db as Kysely<unknown>, MIGRATIONS.slice(0, count));
  return db;
}

/** Writes a row with the columns of that time. */
async function insert<Table extends keyof Database & string>(
  db: Kysely<Database>,
  table: Table,
  row: Partial<InsertObject<Database, Table>>,
): Promise<void> {
  await db
    .insertInto(table)
    .values(row as InsertObject<Database, Table>)
    .execute();
}

const ACCOUNT = { id: 'acc', name: 'acme', plan: 'free', is_operator: 0, created_at: 1 };
const USER = { id: 'usr', name: 'Ann', email: 'ann@example.org', email_verified: 0, created_at: 1, updated_at: 1 };

/** One row in each table that the first version had, found again by its key. */
async function fillFirstVersion(db: Kysely<Database>): Promise<void> {
  await insert(db, 'accounts', ACCOUNT);
  await insert(db, 'auth_users', { ...USER, image: null });
  await insert(db, 'auth_sessions', {
    ...{ id: 'ses', user_id: 'usr', token: 'hash', expires_at: 9, ip_address: '::1', user_agent: 'x' },
    ...{ created_at: 1, updated_at: 2 },
  });
  await insert(db, 'account_members', { account_id: 'acc', user_id: 'usr', role: 'owner', created_at: 1 });
  await insert(db, 'deployments', {
    ...{ name: 'shop', account_id: 'acc', status: 'ready', settings: '{}', current_revision: 'shop-00001-abc' },
    ...{ environment_version: 1, created_at: 1, updated_at: 1 },
  });
  await insert(db, 'deploys', {
    ...{ id: 'dpl', account_id: 'acc', deployment: 'shop', number: 1, kind: 'deploy', step: 'building' },
    ...{ attempts: 1, is_cancel_requested: 0, last_seq: 3, created_at: 1, updated_at: 1 },
  });
  for (const name of ['data', 'media']) await insert(db, 'volumes', { account_id: 'acc', name, created_at: 1 });
  await insert(db, 'volume_attachments', {
    account_id: 'acc',
    deployment: 'shop',
    mount_path: '/data',
    volume: 'data',
  });
  await insert(db, 'environment_variables', {
    ...{ account_id: 'acc', deployment: 'shop', key: 'TOKEN', since_version: 1, sealed_value: 'sealed' },
    ...{ created_at: 1 },
  });
}

// Fails when the migration of volumes leaves `storage_id` empty: their bytes lie under it, so all of them would look lost.
test('volumes of the first version keep their bytes, which lie under their names', async () => {
  const db = await openAt(2);
  await fillFirstVersion(db);
  await migrate(db as Kysely<unknown>, MIGRATIONS);
  const rows = await db.selectFrom('volumes').selectAll().orderBy('name').execute();
  const counts = { size_bytes: 0, object_count: 0, counted_at: 0 };
  expect(rows).toMatchObject([
    { account_id: 'acc', name: 'data', storage_id: 'data', created_at: 1, ...counts },
    { account_id: 'acc', name: 'media', storage_id: 'media', created_at: 1, ...counts },
  ]);
  const attached = await db.selectFrom('volume_attachments').selectAll().execute();
  expect(attached).toMatchObject([{ deployment: 'shop', mount_path: '/data', volume: 'data' }]);
});

// Fails when a migration drops rows, or adds a column whose default tells something that no one recorded.
test('deploys under way and sessions of older versions go on, with nothing made up about them', async () => {
  const db = await openAt(2);
  await fillFirstVersion(db);
  await migrate(db as Kysely<unknown>, MIGRATIONS);
  expect(await db.selectFrom('deploys').selectAll().execute()).toMatchObject([
    // `released_at` set would skip the release command of a deploy that is taken up after the update.
    { id: 'dpl', step: 'building', last_seq: 3, actor_kind: null, actor_id: null, changes: null, released_at: null },
  ]);
  expect(await db.selectFrom('deployments').selectAll().execute()).toMatchObject([
    { name: 'shop', kind: 'service', last_deploy: 'dpl' },
  ]);
  expect(await db.selectFrom('auth_sessions').selectAll().execute()).toMatchObject([
    { id: 'ses', token: 'hash', expires_at: 9, last_used_at: null },
  ]);
  expect(await db.selectFrom('environment_variables').select('sealed_value').execute()).toEqual([
    { sealed_value: 'sealed' },
  ]);
  expect((await sql`PRAGMA foreign_key_check`.execute(db)).rows).toEqual([]);
});

// Fails when a broken row stops the start of the platform half-way: the step must be undone as a whole.
test('a migration that meets a row it cannot read changes nothing', async () => {
  const db = await openAt(4);
  await fillFirstVersion(db);
  await db.updateTable('deployments').set({ settings: '{"schedule":' }).execute();
  await expect(migrate(db as Kysely<unknown>, MIGRATIONS)).rejects.toThrow();
  const tables = (await db.introspection.getTables()).map(({ name }) => name);
  expect(tables).not.toContain('schedules');
  await db.updateTable('deployments').set({ settings: '{}' }).execute();
  expect(await migrate(db as Kysely<unknown>, MIGRATIONS)).toContain('schedules');
});
