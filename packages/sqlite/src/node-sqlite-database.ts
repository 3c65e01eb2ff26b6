import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';
import { isDiskFull, toDatabaseError } from './to-database-error.ts';

/** Prepared statements kept; all of Berth has fewer. */
const STATEMENT_CACHE_SIZE = 500;

/** How long a write waits for another process. The wait blocks the thread, so it is short. */
const BUSY_TIMEOUT_MS = 2_000;

/** The WAL file shrinks to this size after a large write. */
const WAL_LIMIT_BYTES = 64 * 2 ** 20;

/** An open SQLite file with the interface of Kysely's driver. */
export interface NodeSqliteDatabase extends SqliteDatabase {
  /** False after SQLite itself rolled a transaction back, as it does when the disk is full. */
  readonly isInTransaction: boolean;
  /** Path of the write-ahead log, which the caller syncs after each commit; undefined where SQLite does it, and in memory. */
  readonly logFile: string | undefined;
}

/** How a file is opened. */
export interface OpenNodeSqliteOptions {
  /**
   * True when no other process opens the file while the disk is full. The WAL index is a file that needs space; without
   * space it is kept in memory, which locks out every other connection. Default: false.
   */
  readonly isSoleUser?: boolean;
  /**
   * True to have SQLite sync the log inside each commit, on this thread: for tests whose clock moves on when no promise is
   * left. Default: false.
   */
  readonly isSyncedInline?: boolean;
}

/**
 * Opens `file`, or `:memory:`. WAL mode, so that readers in other processes don't block; foreign keys are enforced; statements are
 * cached by text. A commit is on disk once the caller has synced the log, which does not block the thread as SQLite's own syncs
 * do: `synchronous = NORMAL` leaves only those of checkpoints to SQLite. Source: sqlite.org/pragma.html#pragma_synchronous.
 * @throws an error of `node:sqlite` when the file can't be opened. Statements throw the errors of {@link
 * toDatabaseError}.
 */
export function openNodeSqlite(
  file: string,
  { isSoleUser = false, isSyncedInline = false }: OpenNodeSqliteOptions = {},
): NodeSqliteDatabase {
  const database = openWithLog(file, isSoleUser);
  const cache = new Map<string, SqliteStatement>();
  const { journal_mode: mode } = database.prepare('PRAGMA journal_mode').get() as { readonly journal_mode: string };
  const logFile = mode === 'wal' && !isSyncedInline ? `${file}-wal` : undefined;
  if (logFile) database.exec('PRAGMA synchronous = NORMAL');
  return {
    logFile,
    get isInTransaction() {
      return database.isTransaction;
    },
    close: () => {
      cache.clear();
      database.close();
    },
    prepare(sql) {
      const known = cache.get(sql);
      if (known) return known;
      const statement = createStatement(translated(() => database.prepare(sql)));
      const [oldest] = cache.keys();
      if (cache.size >= STATEMENT_CACHE_SIZE && oldest !== undefined) cache.delete(oldest);
      cache.set(sql, statement);
      return statement;
    },
  };
}

function openWithLog(file: string, isSoleUser: boolean): DatabaseSync {
  const open = (locking: string) => {
    const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
    try {
      database.exec(`${locking} PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY`);
      database.exec(`PRAGMA journal_size_limit = ${WAL_LIMIT_BYTES}`);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  };
  try {
    return open('');
  } catch (error) {
    if (isSoleUser && isDiskFull(error)) return open('PRAGMA locking_mode = EXCLUSIVE;');
    throw error;
  }
}

function createStatement(statement: StatementSync): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => translated(() => statement.all(...parameters.map(toSqlValue))),
    run: (parameters) => translated(() => statement.run(...parameters.map(toSqlValue))),
    // Kysely runs nothing else on the connection while a stream is open, so the statement can be shared.
    iterate: (parameters) => translated(() => statement.iterate(...parameters.map(toSqlValue))),
  };
}

function translated<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (error) {
    throw toDatabaseError(error);
  }
}

/** Returns a value that `node:sqlite` can bind. It refuses booleans and undefined, which Kysely allows. */
function toSqlValue(value: unknown): string | number | bigint | null | Uint8Array {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a value of type ${Object.prototype.toString.call(value)} can't be stored; convert it first`);
}
