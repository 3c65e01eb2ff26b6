import type { Migration } from '@berth/sqlite';
import { createIndex } from './columns.ts';

/** Who asked for a deploy, the settings that it changes, and an index for lists of them. */
export const deployActorsMigration: Migration = {
  id: 11,
  name: 'deploy-actors',
  async up(db) {
    await db.schema.alterTable('deploys').addColumn('actor_kind', 'text').execute();
    await db.schema.alterTable('deploys').addColumn('actor_id', 'text').execute();
    await db.schema.alterTable('deploys').addColumn('changes', 'text').execute();
    await createIndex(db, 'deploys_account_id', 'deploys', ['account_id', 'id']);
  },
};
