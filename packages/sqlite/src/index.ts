export type { Migration } from './migrate.ts';
export { migrate } from './migrate.ts';
export { type NodeSqliteDatabase, openNodeSqlite } from './node-sqlite-database.ts';
export { NodeSqliteDialect } from './node-sqlite-dialect.ts';
export { type OpenSqlite, type OpenSqliteOptions, openSqlite } from './open-sqlite.ts';
export { isUniqueViolation, toDatabaseError } from './to-database-error.ts';
