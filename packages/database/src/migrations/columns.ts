import type { ColumnDefinitionBuilder, Kysely } from 'kysely';

// Released migrations use these, so none of them ever changes.

type Column = ColumnDefinitionBuilder;

/** A primary key of one column. */
export const primary = (column: Column) => column.primaryKey();
/** A column that is never null. */
export const required = (column: Column) => column.notNull();
/** A column that is never null, with a different value in each row. */
export const unique = (column: Column) => column.notNull().unique();
/** The account that a row belongs to. */
export const ofAccount = (column: Column) => column.notNull().references('accounts.id');
/** The user that a row belongs to, and goes with. */
export const ofUser = (column: Column) => column.references('auth_users.id').onDelete('cascade');
/** The deployment that a row belongs to. It goes in the statement that deletes the deployment: no row can be forgotten. */
export const ofDeployment = (column: Column) => column.notNull().references('deployments.name').onDelete('cascade');

/** Creates an index over columns, in their order. */
export async function createIndex(db: Kysely<unknown>, name: string, table: string, columns: string[]): Promise<void> {
  await db.schema.createIndex(name).on(table).columns(columns).execute();
}
