import { isUniqueViolation } from '@berth/sqlite';
import type { InsertObject, Kysely } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type OpenDatabase, openDatabase } from './open-database.ts';
import type { Database } from './schema/index.ts';

let opened: OpenDatabase;
let db: Kysely<Database>;

beforeEach(async () => {
  opened = await openDatabase({ file: ':memory:' });
  db = opened.db;
  for (const id of ['acc', 'rival']) {
    await insert('accounts', { id, name: id, plan: 'free', is_operator: 0, created_at: 1 });
  }
  for (const name of ['shop', 'blog']) {
    await insert('deployments', {
      ...{ name, account_id: 'acc', status: 'ready', settings: '{}', current_revision: null },
      ...{ environment_version: 0, created_at: 1, updated_at: 1 },
    });
  }
  await insert('auth_users', {
    ...{ id: 'usr', name: 'Ann', email: 'ann@example.org', email_verified: 0, image: null },
    ...{ created_at: 1, updated_at: 1 },
  });
});

afterEach(() => opened.close());

type Row<Table extends keyof Database> = Partial<InsertObject<Database, Table>>;

async function insert<Table extends keyof Database & string>(table: Table, row: Row<Table>): Promise<void> {
  await db
    .insertInto(table)
    .values(row as InsertObject<Database, Table>)
    .execute();
}

/** Returns whether a row is refused because another one has its key. */
function isDoubled<Table extends keyof Database & string>(table: Table, row: Row<Table>): Promise<boolean> {
  return insert(table, row).then(() => false, isUniqueViolation);
}

async function count(table: keyof Database & string): Promise<number> {
  return (await db.selectFrom(table).selectAll().execute()).length;
}

const run = (id: string, trigger: 'schedule' | 'manual', scheduled_at: number): Row<'schedule_runs'> => ({
  ...{ id, account_id: 'acc', deployment: 'shop', trigger, scheduled_at, status: 'pending', attempts: 0 },
  created_at: 1,
});

const usage = (resource: string): Row<'usage'> => ({
  ...{ account_id: 'acc', day: '2026-01-31', resource, sku: 'cpu', currency: 'EUR', amount: 1, cost: 2 },
  updated_at: 1,
});

const claim = (account_id: string, token: string, status: 'pending' | 'active'): Row<'domains'> => ({
  ...{ account_id, domain: 'shop.example.com', deployment: 'shop', status, token, proof: 'dns', created_at: 1 },
});

describe('when a deployment is deleted', () => {
  beforeEach(async () => {
    for (const deployment of ['shop', 'blog']) {
      const of = { account_id: 'acc', deployment };
      await insert('revisions', {
        ...{ ...of, number: 1, revision: `${deployment}-00001-abc`, status: 'ready', settings: '{}' },
        ...{ environment_version: 0, deploy_id: `dpl-${deployment}`, created_at: 1 },
      });
      await insert('environment_variables', {
        ...{ ...of, key: 'TOKEN', since_version: 1, sealed_value: 'sealed', created_at: 1 },
      });
      await insert('cron_tokens', { ...of, sealed_token: 'sealed', created_at: 1 });
      await insert('schedules', { ...of, cron: '* * * * *', timezone: 'UTC', next_due_at: 1 });
      await insert('schedule_runs', { ...run(`run-${deployment}`, 'schedule', 1), deployment });
      await insert('schedule_attempts', { run_id: `run-${deployment}`, number: 1, account_id: 'acc', started_at: 1 });
      await insert('domains', {
        ...claim('acc', deployment, 'active'),
        deployment,
        domain: `${deployment}.example.com`,
      });
      await insert('volumes', {
        ...{ account_id: 'acc', name: deployment, storage_id: deployment, size_bytes: 1, object_count: 1 },
        ...{ counted_at: 1, created_at: 1 },
      });
      await insert('volume_attachments', { ...of, mount_path: '/data', volume: deployment });
      await insert('usage', usage(deployment));
      await insert('resource_usage', {
        ...{ ...of, minute: 1, cpu_ms: 1, instance_ms: 1, memory_byte_ms: 1, memory_max_bytes: 1, instances: 1 },
      });
      await insert('revision_counters', { ...of, last_number: 1 });
      await insert('deploys', {
        ...{ ...of, id: `dpl-${deployment}`, number: 1, kind: 'deploy', step: 'done', attempts: 1 },
        ...{ is_cancel_requested: 0, last_seq: 0, created_at: 1, updated_at: 1 },
      });
    }
    await db.deleteFrom('deployments').where('name', '=', 'shop').execute();
  });

  // Fails when a table loses its `on delete cascade`: whoever takes the name next would inherit secrets or a domain.
  test('its secrets, domains, schedules and revisions go with it, and those of others stay', async () => {
    for (const table of [
      'revisions',
      'environment_variables',
      'cron_tokens',
      'schedules',
      'schedule_runs',
      'domains',
      'volume_attachments',
    ] as const) {
      const rows = await db.selectFrom(table).select('deployment').execute();
      expect([table, rows]).toEqual([table, [{ deployment: 'blog' }]]);
    }
    expect(await db.selectFrom('schedule_attempts').select('run_id').execute()).toEqual([{ run_id: 'run-blog' }]);
  });

  // Fails when one of them gets a reference to the deployment: an invoice, a volume or the next revision number would be lost.
  test('what is owed, what its volumes hold and the numbers given out stay', async () => {
    const kept = ['usage', 'resource_usage', 'volumes', 'deploys', 'revision_counters'] as const;
    expect(await Promise.all(kept.map(count))).toEqual(kept.map(() => 2));
  });
});

describe('a second row is refused', () => {
  // Fails when the index is not unique, or not partial: a minute would be due twice, or no one could start a run by hand.
  test('for a minute of a schedule, while runs by hand may share it', async () => {
    await insert('schedule_runs', run('a', 'schedule', 60_000));
    expect(await isDoubled('schedule_runs', run('b', 'schedule', 60_000))).toBe(true);
    expect(await isDoubled('schedule_runs', run('c', 'manual', 60_000))).toBe(false);
    expect(await isDoubled('schedule_runs', run('d', 'manual', 60_000))).toBe(false);
    expect(await isDoubled('schedule_runs', run('e', 'schedule', 120_000))).toBe(false);
  });

  // Fails when two accounts can have one domain active: requests would reach whichever row is read first.
  test('for a domain that is active, while claims to it stand side by side', async () => {
    await insert('domains', claim('acc', 'one', 'pending'));
    expect(await isDoubled('domains', claim('rival', 'two', 'pending'))).toBe(false);
    const activate = (account: string) =>
      db.updateTable('domains').set({ status: 'active' }).where('account_id', '=', account).execute();
    await activate('acc');
    expect(await activate('rival').then(() => false, isUniqueViolation)).toBe(true);
    expect(await isDoubled('domains', { ...claim('acc', 'one', 'pending'), domain: 'other.example.com' })).toBe(true);
  });

  // Fails when usage of a day is added as a further row: it would be billed twice.
  test('for what a resource used on a day', async () => {
    await insert('usage', usage('shop'));
    expect(await isDoubled('usage', usage('shop'))).toBe(true);
    expect(await isDoubled('usage', { ...usage('shop'), currency: 'USD' })).toBe(false);
    expect(await isDoubled('usage', usage('blog'))).toBe(false);
  });

  // Fails when a deployment's name is unique within an account only: the name is its address.
  test('for the name of a deployment, whoever has it', async () => {
    const rows = await db.selectFrom('deployments').selectAll().where('name', '=', 'shop').execute();
    expect(await isDoubled('deployments', { ...rows[0], account_id: 'rival' })).toBe(true);
  });

  // Fails when the storage of a volume can be another one's too: deleting one would empty both.
  test('for the storage of a volume in its account', async () => {
    const volume = (account_id: string, name: string): Row<'volumes'> => ({
      ...{ account_id, name, storage_id: 'same', size_bytes: 0, object_count: 0, counted_at: 0, created_at: 1 },
    });
    await insert('volumes', volume('acc', 'data'));
    expect(await isDoubled('volumes', volume('acc', 'media'))).toBe(true);
    expect(await isDoubled('volumes', volume('rival', 'data'))).toBe(false);
  });
});

describe('when a person is deleted', () => {
  // Fails when a table of ways to sign in loses its cascade, or a key of the account goes with the person who made it.
  test('every session and way to sign in goes, and the keys of the account stay', async () => {
    const times = { created_at: 1, updated_at: 1 };
    await insert('auth_sessions', { id: 'ses', user_id: 'usr', token: 'hash', expires_at: 9, ...times });
    await insert('auth_accounts', {
      ...{ id: 'cre', user_id: 'usr', account_id: 'usr', provider_id: 'credential', ...times },
    });
    await insert('account_members', { account_id: 'acc', user_id: 'usr', role: 'owner', created_at: 1 });
    await insert('identity_sessions', { hash: 'h', account_id: 'acc', user_id: 'usr', created_at: 1, expires_at: 9 });
    const grant = { session_hash: 'h', client_id: 'shop', client_account_id: 'acc', scope: 'openid', expires_at: 9 };
    await insert('identity_codes', { ...grant, hash: 'code', redirect_uri: 'https://x', code_challenge: 'c' });
    await insert('identity_refresh_tokens', { ...grant, hash: 'token', family: 'f' });
    await insert('api_keys', {
      ...{ id: 'key', account_id: 'acc', user_id: 'usr', name: 'k', start: 'berth_a', hash: 'kh', scopes: '[]' },
      created_at: 1,
    });
    await db.deleteFrom('auth_users').where('id', '=', 'usr').execute();
    const gone = [
      'auth_sessions',
      'auth_accounts',
      'account_members',
      'identity_sessions',
      'identity_codes',
      'identity_refresh_tokens',
    ] as const;
    expect(await Promise.all(gone.map(count))).toEqual(gone.map(() => 0));
    expect(await db.selectFrom('api_keys').select(['id', 'user_id']).execute()).toEqual([{ id: 'key', user_id: null }]);
  });
});

// Fails when an account's rows are deleted with it: what it owes and its audit log have to be dealt with first.
test('an account is not deleted while anything belongs to it', async () => {
  const remove = (id: string) => db.deleteFrom('accounts').where('id', '=', id).execute();
  await expect(remove('acc')).rejects.toThrow(/FOREIGN KEY/);
  expect(await count('deployments')).toBe(2);
  await remove('rival');
  expect(await count('accounts')).toBe(1);
});
