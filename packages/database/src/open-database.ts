import { closeSync, openSync } from 'node:fs';
import { BerthError, createSilentLogger, type Logger } from '@berth/kit';
import { Kysely, sql } from 'kysely';
import { migrate } from './migrate.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { openNodeSqlite } from './node-sqlite-database.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import type { Database } from './schema/index.ts';

/** What is needed to open the embedded database. */
export interface OpenDatabaseOptions {
  /** Path of the file, made when missing (its folder must exist); `:memory:` for one that lives as long as the handle. */
  readonly file: string;
  readonly logger?: Logger;
}

/** An open database. */
export interface OpenDatabase {
  /**
   * Queries run one after another, a transaction as a whole. Inside a transaction use its own handle: a query on this one
   * would wait for the transaction that waits for it.
   */
  readonly db: Kysely<Database>;
  /** Closes it after the queries that run. Twice does nothing more. */
  close(): Promise<void>;
}

/**
 * Opens (or makes) the database and brings its schema up to date.
 * @throws `unavailable` when the file is damaged, is no database, can't be read, or was written by a newer Berth.
 */
export async function openDatabase({
  file,
  logger = createSilentLogger(),
}: OpenDatabaseOptions): Promise<OpenDatabase> {
  let db: Kysely<Database> | undefined;
  try {
    // SQLite gives its -wal and -shm files the mode of the main file.
    if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600));
    db = new Kysely<Database>({ dialect: new NodeSqliteDialect(openNodeSqlite(file)) });
    await refuseDamaged(db, file);
    const applied = await migrate(db as Kysely<unknown>, MIGRATIONS);
    if (applied.length > 0) logger.info({ migrations: applied }, 'database schema brought up to date');
    const opened = db;
    return { db: opened, close: () => opened.destroy() };
  } catch (error) {
    await db?.destroy();
    throw BerthError.is(error) ? error : cannotOpen(file, error);
  }
}

/** Reads every page: 60 ms for 64 MiB. A larger file is trusted, and damage is found when it is read. */
async function refuseDamaged(db: Kysely<Database>, file: string): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`PRAGMA quick_check(1)`.execute(db);
  const finding = rows[0]?.quick_check;
  if (finding !== 'ok') throw cannotOpen(file, new Error(finding));
}

function cannotOpen(file: string, cause: unknown): BerthError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new BerthError({
    code: 'unavailable',
    status: 503,
    message: `The database ${file} can't be opened: ${reason}. Restore it from a backup, or move it away to start empty.`,
    cause,
  });
}
