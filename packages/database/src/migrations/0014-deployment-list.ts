import type { Migration } from '@berth/sqlite';
import { sql } from 'kysely';

/** The kind and the newest deploy of a deployment, so that a list of thousands reads no other large table. */
export const deploymentListMigration: Migration = {
  id: 14,
  name: 'deployment-list',
  async up(db) {
    await db.schema
      .alterTable('deployments')
      .addColumn('kind', 'text', (column) => column.notNull().defaultTo('service'))
      .execute();
    await db.schema.alterTable('deployments').addColumn('last_deploy', 'text').execute();
    await sql`update deployments set last_deploy = (
      select id from deploys
      where deploys.account_id = deployments.account_id and deploys.deployment = deployments.name
      order by number desc limit 1
    )`.execute(db);
  },
};
