import type { Logger } from '@berth/kit';
import { type OpenSqlite, openSqlite } from '@berth/sqlite';
import { MIGRATIONS } from './migrations/index.ts';
import type { Database } from './schema/index.ts';

/** What is needed to open the embedded database. */
export interface OpenDatabaseOptions {
  /** Path of the file, made 0600 when missing (its folder must exist); `:memory:` for one that lives with its handle. */
  readonly file: string;
  readonly logger?: Logger;
}

/** The open database of the platform. */
export type OpenDatabase = OpenSqlite<Database>;

/**
 * Opens (or makes) the database and brings its schema up to date.
 * @throws `unavailable` when the file is damaged, is no database, can't be opened, or was written by a newer Berth.
 */
export function openDatabase(options: OpenDatabaseOptions): Promise<OpenDatabase> {
  return openSqlite<Database>({ ...options, migrations: MIGRATIONS, isSoleUser: true });
}
