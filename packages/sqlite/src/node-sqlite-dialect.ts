import type { Logger } from '@berth/kit';
import { CompiledQuery, type DatabaseConnection, SqliteDialect, SqliteDriver } from 'kysely';
import type { NodeSqliteDatabase } from './node-sqlite-database.ts';

/** A transaction open for this long is most likely waiting for a query that waits for the transaction. */
const LONG_TRANSACTION_MS = 10_000;

/** Kysely's SQLite driver, with transactions that take the write lock at their start. */
class ImmediateSqliteDriver extends SqliteDriver {
  readonly #database: NodeSqliteDatabase;
  readonly #logger: Logger;
  #watch: NodeJS.Timeout | undefined;

  constructor(database: NodeSqliteDatabase, logger: Logger) {
    super({ database });
    this.#database = database;
    this.#logger = logger;
  }

  /**
   * A transaction that reads first and writes later fails at once with SQLITE_BUSY when another process wrote in
   * between. One that starts with the write lock waits for it instead.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    const { stack } = new Error('begun here');
    this.#watch = setTimeout(() => {
      this.#logger.warn(
        { stack },
        'a transaction is open for 10 s: is the database used inside it instead of its handle?',
      );
    }, LONG_TRANSACTION_MS).unref();
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    clearTimeout(this.#watch);
    await super.commitTransaction(connection);
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    clearTimeout(this.#watch);
    // SQLite has already rolled back after some errors, and a second rollback would hide the first error.
    if (this.#database.isInTransaction) await super.rollbackTransaction(connection);
  }
}

/** The dialect of the embedded database. Kysely runs one query or transaction at a time on its single connection. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: NodeSqliteDatabase;
  readonly #logger: Logger;

  constructor(database: NodeSqliteDatabase, logger: Logger) {
    super({ database });
    this.#database = database;
    this.#logger = logger;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver(this.#database, this.#logger);
  }
}
