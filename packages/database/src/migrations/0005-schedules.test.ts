import { migrate, NodeSqliteDialect, openNodeSqlite } from '@berth/sqlite';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../schema/index.ts';
import { schedulesMigration } from './0005-schedules.ts';
import { MIGRATIONS } from './index.ts';

test('schedules that an earlier version only kept are taken over, those that serve', async () => {
  const db = new Kysely<Database>({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(':memory:') }) });
  const handle = db as Kysely<unknown>;
  await migrate(
    handle,
    MIGRATIONS.filter(({ id }) => id < schedulesMigration.id),
  );
  await db.insertInto('accounts').values({ id: 'a', name: 'a', plan: 'p', is_operator: 0, created_at: 0 }).execute();
  const schedule = { cron: '0 5 * * *', timezone: 'Europe/Oslo' };
  for (const [name, settings, revision] of [
    ['due', { schedule }, 'due-00001-abc'],
    ['plain', { schedule: null }, 'plain-00001-abc'],
    ['failed', { schedule }, null],
    ['reserved', undefined, null],
  ] as const) {
    const row = { account_id: 'a', status: 'ready', environment_version: 0, created_at: 0, updated_at: 0 } as const;
    await db
      .insertInto('deployments')
      .values({ ...row, name, settings: settings ? JSON.stringify(settings) : null, current_revision: revision })
      .execute();
  }
  await migrate(handle, MIGRATIONS);
  const rows = await db.selectFrom('schedules').select(['deployment', 'cron', 'timezone']).execute();
  expect(rows).toEqual([{ deployment: 'due', ...schedule }]);
  await db.destroy();
});
