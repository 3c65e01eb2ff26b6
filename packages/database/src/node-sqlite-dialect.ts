import { CompiledQuery, type DatabaseConnection, type SqliteDatabase, SqliteDialect, SqliteDriver } from 'kysely';

/** Kysely's SQLite driver, with transactions that take the write lock at their start. */
class ImmediateSqliteDriver extends SqliteDriver {
  /**
   * A transaction that reads first and writes later fails with SQLITE_BUSY, without waiting, when another process wrote
   * in between; one that starts with the lock waits for it instead.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }
}

/** The dialect of the embedded database. Kysely runs one query or transaction at a time on its single connection. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #database: SqliteDatabase;

  constructor(database: SqliteDatabase) {
    super({ database });
    this.#database = database;
  }

  override createDriver(): SqliteDriver {
    return new ImmediateSqliteDriver({ database: this.#database });
  }
}
