import type { Logger } from '@berth/kit';
import { type OpenSqlite, openSqlite } from '@berth/sqlite';
import { MIGRATIONS } from './migrations/index.ts';
import type { Database } from './schema/index.ts';

/** Options to open the embedded database. */
export interface OpenDatabaseOptions {
  /**
   * Path of the file, created with mode 0600 when missing (its folder must exist); `:memory:` for a database that lives
   * as long as its handle.
   */
  readonly file: string;
  readonly logger?: Logger;
  /** For tests; see `OpenNodeSqliteOptions` of @berth/sqlite. */
  readonly isSyncedInline?: boolean;
}

/** The open database of the platform. */
export type OpenDatabase = OpenSqlite<Database>;

/**
 * Opens or creates the database, and migrates its schema.
 * @throws `unavailable` when the file is damaged, is not a database, can't be opened, or was written by a newer Berth.
 */
export function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  return openSqlite<Database>({ ...options, migrations: MIGRATIONS, isSoleUser: true });
}
