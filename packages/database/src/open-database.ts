import type { Logger } from '@berth/kit';
import { type Notices, openPostgres } from '@berth/postgres';
import { openSqlite } from '@berth/sqlite';
import type { Kysely } from 'kysely';
import { refuseIncomplete } from './copy/incomplete-copy.ts';
import { createLocalNotices } from './local-notices.ts';
import { MIGRATIONS, SCHEMA } from './migrations/index.ts';
import type { Database } from './schema/index.ts';

/** The embedded database. */
export interface SqlitePlace {
  /**
   * Path of the file, created with mode 0600 when missing (its folder must exist); `:memory:` for a database that lives
   * as long as its handle.
   */
  readonly file: string;
  /** For tests; see `OpenNodeSqliteOptions` of @berth/sqlite. */
  readonly isSyncedInline?: boolean;
}

/** A Postgres database. */
export interface PostgresPlace {
  readonly url: string;
  /** Postgres schema of the tables; `berth` by default. */
  readonly schema?: string;
  /** Maximum number of connections for queries; 10 by default. One more receives notices. */
  readonly connections?: number;
}

/** Options to open the database. */
export type OpenDatabaseOptions = (SqlitePlace | PostgresPlace) & { readonly logger?: Logger };

/** The open database of the platform. */
export interface OpenDatabase {
  /**
   * Transactions are as if they had run one after another. On Postgres, the callback of one that meets a conflict is called again, so it
   * has no effects besides its queries. Inside a transaction use its own handle: on SQLite, a query on this one would wait for it.
   */
  readonly db: Kysely<Database>;
  /**
   * The same for background work that an outage of Postgres must not end: its queries wait until Postgres is back, for ten minutes at
   * most, and end when the database is closed. On SQLite it is `db`.
   */
  readonly patientDb: Kysely<Database>;
  readonly dialect: 'sqlite' | 'postgres';
  /** Wakes the parts of this server and, on Postgres, those of the others. */
  readonly notices: Notices;
  /** Closes the database after running queries. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens or creates the database, and migrates its schema.
 * @throws `unavailable` when the file is damaged, is not a database, can't be opened, or was written by a newer Berth; when Postgres can't
 *   be used, or holds an incomplete copy of another database.
 */
export async function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  if ('url' in options) {
    const opened = await openPostgres<Database>({ schema: SCHEMA, ...options, migrations: MIGRATIONS });
    await refuseIncomplete(opened.db as Kysely<unknown>).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    return { ...opened, dialect: 'postgres' };
  }
  const { db, onCommit, close } = await openSqlite<Database>({ ...options, migrations: MIGRATIONS, isSoleUser: true });
  return { db, patientDb: db, dialect: 'sqlite', notices: createLocalNotices(onCommit), close };
}
