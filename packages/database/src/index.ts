export { isUniqueViolation } from './is-unique-violation.ts';
export type { Migration } from './migration.ts';
export { type OpenDatabase, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
export type * from './schema/index.ts';
