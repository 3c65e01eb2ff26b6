import type { Migration } from '@berth/sqlite';

/** When a deploy's release command ended well, so that a restart of the platform doesn't run it again. */
export const deployReleasesMigration: Migration = {
  id: 13,
  name: 'deploy-releases',
  async up(db) {
    await db.schema.alterTable('deploys').addColumn('released_at', 'integer').execute();
  },
};
