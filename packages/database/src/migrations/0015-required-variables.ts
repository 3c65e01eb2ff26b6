import type { Migration } from '@berth/sqlite';

/** The variables that a revision's `berth.json` requires. */
export const requiredVariablesMigration: Migration = {
  id: 15,
  name: 'required-variables',
  async up(db) {
    await db.schema.alterTable('revisions').addColumn('required_env', 'text').execute();
  },
};
