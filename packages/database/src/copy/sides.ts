import type { Logger } from '@berth/kit';
import { connectPostgres } from '@berth/postgres';
import { NodeSqliteDialect, openNodeSqlite } from '@berth/sqlite';
import { Kysely } from 'kysely';
import type { AnyDatabase } from './copy-rows.ts';

/** One of the two databases of a copy. Disposal closes it. */
export interface Side extends AsyncDisposable {
  readonly db: AnyDatabase;
}

const sideOf = (db: AnyDatabase): Side => ({ db, [Symbol.asyncDispose]: () => db.destroy() });

/** Opens an SQLite file as it is, without migrating it. */
export const openSqliteSide = (file: string): Side =>
  sideOf(new Kysely({ dialect: new NodeSqliteDialect({ database: openNodeSqlite(file) }) }));

/** Opens a schema of Postgres as it is, without migrating it. */
export const openPostgresSide = (options: { url: string; schema: string; logger: Logger }): Side =>
  sideOf(connectPostgres({ ...options, isolation: 'read committed', connections: 2 }));
