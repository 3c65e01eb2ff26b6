import type { Migration } from '@berth/sqlite';

/** The digest of the archive that a revision was built from. */
export const sourceDigestsMigration: Migration = {
  id: 23,
  name: 'source-digests',
  async up(db) {
    await db.schema.alterTable('revisions').addColumn('source_sha256', 'text').execute();
  },
};
