export { claimDatabase, type Notices } from '@berth/postgres';
export { isUniqueViolation, type Migration } from '@berth/sqlite';
export {
  type CopiedDigest,
  type CopyDatabaseOptions,
  type CopyProgress,
  completeCopy,
  copyToPostgres,
  copyToSqlite,
  countTables,
  putAside,
} from './copy/copy-database.ts';
export type { AdaptedValue } from './copy/copy-rows.ts';
export { type OpenDatabase, type OpenDatabaseOptions, openDatabase } from './open-database.ts';
export type * from './schema/index.ts';
