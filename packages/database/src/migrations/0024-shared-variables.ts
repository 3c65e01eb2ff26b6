import type { Migration } from '@berth/sqlite';
import { ofAccount, required } from './columns.ts';

/** Variables of an account, those that deployments refer to, and which variables aren't secret. */
export const sharedVariablesMigration: Migration = {
  id: 24,
  name: 'shared-variables',
  async up(db) {
    await db.schema
      .createTable('shared_variables')
      .addColumn('account_id', 'text', ofAccount)
      .addColumn('key', 'text', required)
      .addColumn('sealed_value', 'text', required)
      .addColumn('is_plain', 'integer', required)
      .addColumn('updated_at', 'bigint', required)
      .addPrimaryKeyConstraint('shared_variables_pk', ['account_id', 'key'])
      .execute();
    const variables = () => db.schema.alterTable('environment_variables');
    await variables()
      .addColumn('is_plain', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await variables().addColumn('sealed_template', 'text').execute();
    await variables().addColumn('shared_keys', 'text').execute();
  },
};
