import { closeSync, openSync, statSync } from 'node:fs';
import { BerthError, createSilentLogger, type Logger } from '@berth/kit';
import { Kysely, sql } from 'kysely';
import { createLogSync } from './log-sync.ts';
import { type Migration, migrate } from './migrate.ts';
import { type OpenNodeSqliteOptions, openNodeSqlite } from './node-sqlite-database.ts';
import { createCommitWatch, NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { toDatabaseError } from './to-database-error.ts';

/**
 * Files up to this size are checked completely before use: 65 ms, 1 ms per megabyte. Damage to a larger file shows when
 * it is read.
 */
const CHECKED_BYTES = 64 * 2 ** 20;

/** Options to open an embedded database. */
export interface OpenSqliteOptions extends OpenNodeSqliteOptions {
  /**
   * Path of the file, created with mode 0600 when missing (its folder must exist); `:memory:` for a database that lives
   * as long as its handle.
   */
  readonly file: string;
  /** The migrations of its schema, in order. */
  readonly migrations: readonly Migration[];
  readonly logger?: Logger;
}

/** An open database. */
export interface OpenSqlite<Schema> {
  /**
   * Queries run one after another, and a transaction as a whole. Inside a transaction use its own handle: a query on
   * this one would wait for the transaction that waits for it. A resolved commit is on disk; others may read it a moment sooner.
   */
  readonly db: Kysely<Schema>;
  /**
   * Calls `callback` when the transaction that is open now is committed, before it is on disk: for what may begin by then, and is
   * undone when the transaction fails. To be called inside a transaction.
   */
  onCommit(callback: () => void): void;
  /** Closes the database after running queries. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens or creates the database, and migrates its schema.
 * @throws `unavailable` when the file is damaged, is not a database, can't be opened, or was written by a newer Berth.
 */
export async function openSqlite<Schema>({
  file,
  migrations,
  logger = createSilentLogger(),
  ...options
}: OpenSqliteOptions): Promise<OpenSqlite<Schema>> {
  let db: Kysely<Schema> | undefined;
  try {
    const sizeBytes = file === ':memory:' ? 0 : ensurePrivateFile(file);
    const database = openNodeSqlite(file, options);
    const log = database.logFile === undefined ? undefined : createLogSync(database.logFile);
    const commits = createCommitWatch();
    db = new Kysely<Schema>({ dialect: new NodeSqliteDialect({ database, log, commits, logger }) });
    if (sizeBytes <= CHECKED_BYTES) await refuseDamaged(db as Kysely<unknown>);
    const applied = await migrate(db as Kysely<unknown>, migrations);
    if (applied.length > 0) logger.info({ migrations: applied }, 'database schema migrated');
    const opened = db;
    return { db: opened, onCommit: commits.onCommit, close: () => opened.destroy() };
  } catch (thrown) {
    await db?.destroy();
    const error = toDatabaseError(thrown);
    const reason = error instanceof Error ? error.message : String(error);
    throw new BerthError({
      code: 'unavailable',
      status: 503,
      message: `The database ${file} can't be used. ${reason}`,
      cause: thrown,
    });
  }
}

/** Creates the file if it is missing, and returns its size. SQLite gives its -wal and -shm files the same mode. */
function ensurePrivateFile(file: string): number {
  closeSync(openSync(file, 'a', 0o600));
  return statSync(file).size;
}

async function refuseDamaged(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`PRAGMA quick_check(1)`.execute(db);
  const finding = rows[0]?.quick_check;
  if (finding !== 'ok') throw new Error(`The database file is damaged; restore it from a backup. (${finding})`);
}
