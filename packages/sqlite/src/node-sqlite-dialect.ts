import type { Logger } from '@berth/kit';
import {
  CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import type { LogSync } from './log-sync.ts';
import type { NodeSqliteDatabase } from './node-sqlite-database.ts';

/** A transaction open for this long is most likely waiting for a query that waits for the transaction. */
const LONG_TRANSACTION_MS = 10_000;

/** Statements that change nothing on disk. */
const READS = /^\s*(select|pragma|explain|begin|savepoint|release|rollback|commit)\b/i;

interface DialectOptions {
  readonly database: NodeSqliteDatabase;
  /** Makes commits durable; undefined for a database in memory. */
  readonly log?: LogSync | undefined;
  /** See {@link createCommitWatch}. */
  readonly commits?: CommitWatch;
  readonly logger?: Logger;
}

/** Told when a transaction is committed, a moment before it is on disk. */
export type CommitWatch = ReturnType<typeof createCommitWatch>;

/** Creates the watch of a connection's commits. */
export function createCommitWatch() {
  let callbacks: (() => void)[] = [];
  return {
    /** Calls `callback` when the transaction that is open now is committed; not when it is rolled back. */
    onCommit: (callback: () => void): void => void callbacks.push(callback),
    end(isCommitted: boolean): void {
      const ended = callbacks;
      callbacks = [];
      if (isCommitted) for (const callback of ended) callback();
    },
  };
}

/** Gives the only connection to one user at a time, in the order in which they asked. */
function createTurns() {
  let last: Promise<void> = Promise.resolve();
  return {
    /** Resolves with the function that ends the turn. */
    async take(): Promise<() => void> {
      const before = last;
      const turn = Promise.withResolvers<void>();
      last = turn.promise;
      await before;
      return turn.resolve;
    },
  };
}

/**
 * A user's hold of the only connection. It is passed on as soon as a statement or a transaction is committed: what then waits for
 * the disk is its caller, not the next user, so that commits that come together share one sync.
 */
class HeldConnection implements DatabaseConnection {
  readonly #inner: DatabaseConnection;
  readonly #options: DialectOptions;
  readonly #take: () => Promise<() => void>;
  #release: (() => void) | undefined;
  #hasWritten = false;

  constructor(inner: DatabaseConnection, options: DialectOptions, take: () => Promise<() => void>) {
    this.#inner = inner;
    this.#options = options;
    this.#take = take;
  }

  get isHeld(): boolean {
    return this.#release !== undefined;
  }

  async hold(): Promise<void> {
    this.#release ??= await this.#take();
  }

  release(): void {
    this.#release?.();
    this.#release = undefined;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    await this.hold();
    const { database, log, commits } = this.#options;
    const result = await this.#inner.executeQuery<Row>(query);
    if (!READS.test(query.sql)) this.#hasWritten = true;
    if (database.isInTransaction) return result;
    const isRolledBack = /^\s*rollback\b/i.test(query.sql);
    const mustSync = this.#hasWritten && !isRolledBack;
    this.#hasWritten = false;
    commits?.end(!isRolledBack);
    if (log && mustSync) {
      this.release();
      await log.sync();
    }
    return result;
  }

  async *streamQuery<Row>(query: CompiledQuery, chunkSize: number): AsyncGenerator<QueryResult<Row>> {
    await this.hold();
    yield* this.#inner.streamQuery<Row>(query, chunkSize);
  }
}

/** Kysely's SQLite driver, with transactions that take the write lock at their start, and with commits that share syncs. */
class NodeSqliteDriver extends SqliteDriver {
  readonly #options: DialectOptions;
  readonly #turns = createTurns();
  #watch: NodeJS.Timeout | undefined;

  constructor(options: DialectOptions) {
    super({ database: options.database });
    this.#options = options;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = new HeldConnection(await super.acquireConnection(), this.#options, this.#turns.take);
    await connection.hold();
    return connection;
  }

  override async releaseConnection(connection?: DatabaseConnection): Promise<void> {
    (connection as HeldConnection).release();
  }

  /**
   * A transaction that reads first and writes later fails at once with SQLITE_BUSY when another process wrote in
   * between. One that starts with the write lock waits for it instead.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
    // Its stack is made into text only when it is read, which takes longer than the statement.
    const begun = new Error('started here');
    this.#watch = setTimeout(() => {
      this.#options.logger?.warn(
        { stack: begun.stack },
        "a transaction has been open for 10 s; use the transaction's handle inside it, not the database",
      );
    }, LONG_TRANSACTION_MS).unref();
  }

  override async commitTransaction(connection: DatabaseConnection): Promise<void> {
    clearTimeout(this.#watch);
    await super.commitTransaction(connection);
  }

  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    // The transaction is committed, and another one may run: Kysely rolls back when the sync after the commit fails.
    if (!(connection as HeldConnection).isHeld) return;
    clearTimeout(this.#watch);
    this.#options.commits?.end(false);
    // SQLite has already rolled back after some errors, and a second rollback would hide the first error.
    if (this.#options.database.isInTransaction) await super.rollbackTransaction(connection);
  }

  /** Closes the database after the query or transaction that runs. */
  override async destroy(): Promise<void> {
    await this.#turns.take();
    await this.#options.log?.close();
    await super.destroy();
  }
}

/** The driver itself lets one query or transaction at a time use its connection. */
class NodeSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** The dialect of the embedded database. */
export class NodeSqliteDialect extends SqliteDialect {
  readonly #options: DialectOptions;

  constructor(options: DialectOptions) {
    super({ database: options.database });
    this.#options = options;
  }

  override createDriver(): SqliteDriver {
    return new NodeSqliteDriver(this.#options);
  }

  override createAdapter(): DialectAdapter {
    return new NodeSqliteAdapter();
  }
}
