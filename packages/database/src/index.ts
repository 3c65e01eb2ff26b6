export { claimDatabase, type Notices } from '@berth/postgres';
export { isUniqueViolation, type Migration } from '@berth/sqlite';
export { type OpenDatabase, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
export type * from './schema/index.ts';
