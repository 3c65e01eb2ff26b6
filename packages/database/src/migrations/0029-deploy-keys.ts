import type { Migration } from '@berth/sqlite';

/** Deploy keys of connected repositories. */
export const deployKeysMigration: Migration = {
  id: 29,
  name: 'deploy-keys',
  async up(db) {
    for (const column of ['ssh_url', 'ssh_host_key', 'deploy_key', 'sealed_deploy_key']) {
      await db.schema.alterTable('repositories').addColumn(column, 'text').execute();
    }
  },
};
