import type { Migration } from '@berth/sqlite';

/** Which deployments are stopped, and how often each was restarted, stopped or resumed. */
export const stoppedDeploymentsMigration: Migration = {
  id: 22,
  name: 'stopped-deployments',
  async up(db) {
    await db.schema.alterTable('deployments').addColumn('stopped_at', 'bigint').execute();
    await db.schema
      .alterTable('deployments')
      .addColumn('generation', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
