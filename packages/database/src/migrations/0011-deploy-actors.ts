import type { Migration } from '@berth/sqlite';
import { createIndex } from './columns.ts';

/** Requester and changed settings of a deploy, and an index for lists of deploys. */
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
