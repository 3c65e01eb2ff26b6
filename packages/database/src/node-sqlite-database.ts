import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqliteDatabase, SqliteStatement } from 'kysely';

/** Statements kept prepared; the whole of Berth has fewer distinct ones. */
const STATEMENT_CACHE_SIZE = 500;

/** A write by another process is waited for this long. The wait blocks the thread, so it is short. */
const BUSY_TIMEOUT_MS = 2_000;

/** A statement of `node:sqlite` in the shape Kysely's SQLite driver calls. */
function createStatement(statement: StatementSync, prepareAgain: () => StatementSync): SqliteStatement {
  const isReader = statement.columns().length > 0;
  return {
    reader: isReader,
    all: (parameters) => statement.all(...parameters.map(toSqlValue)),
    run: (parameters) => statement.run(...parameters.map(toSqlValue)),
    // A stream may be open while the same SQL runs again on this connection, which would reset a shared statement.
    iterate: (parameters) => prepareAgain().iterate(...parameters.map(toSqlValue)),
  };
}

/** What `node:sqlite` can bind. It refuses booleans and undefined, which Kysely lets through. */
function toSqlValue(value: unknown): string | number | bigint | null | Uint8Array {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === undefined) return null;
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
    return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`a value of type ${Object.prototype.toString.call(value)} can't be stored; convert it first`);
}

/**
 * Opens `file` (made 0600 by the caller; `:memory:` for none) for Kysely's SQLite driver: WAL, so that readers of another
 * process don't block; every commit on disk before it is acknowledged; foreign keys enforced; statements cached by text.
 * @throws an error of `node:sqlite` when the file is not a database or can't be opened.
 */
export function openNodeSqlite(file: string): SqliteDatabase {
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA temp_store = MEMORY');
  } catch (error) {
    database.close();
    throw error;
  }
  const cache = new Map<string, SqliteStatement>();
  return {
    close: () => {
      cache.clear();
      database.close();
    },
    prepare(sql) {
      const known = cache.get(sql);
      if (known) return known;
      const statement = createStatement(database.prepare(sql), () => database.prepare(sql));
      if (cache.size >= STATEMENT_CACHE_SIZE) {
        // Maps iterate in insertion order: the oldest goes.
        for (const oldest of cache.keys()) {
          cache.delete(oldest);
          break;
        }
      }
      cache.set(sql, statement);
      return statement;
    },
  };
}
