import type { Migration } from '@berth/sqlite';

/** Who asked for a deploy, the settings that it changes, and an index for lists of them. */
export const deployActorsMigration: Migration = {
  id: 11,
  name: 'deploy-actors',
  async up(db) {
    await db.schema.alterTable('deploys').addColumn('actor_kind', 'text').execute();
    await db.schema.alterTable('deploys').addColumn('actor_id', 'text').execute();
    await db.schema.alterTable('deploys').addColumn('changes', 'text').execute();
    await db.schema.createIndex('deploys_account_id').on('deploys').columns(['account_id', 'id']).execute();
  },
};
