import { setTimeout as sleep } from 'node:timers/promises';
import { backoffMs } from '@berth/kit';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { isUnreachable } from './report-unreachable.ts';
import { retryConflicts } from './retry-conflicts.ts';

/** Far longer than a failover takes. */
const PATIENCE_MS = 600_000;
/** The first query after an outage starts at most this long after it. */
const BACKOFF = { baseMs: 20, maxMs: 250 };

/** SQLSTATE invalid_parameter_value: after a failover, the id of a transaction that the new server never saw. */
const UNKNOWN_TRANSACTION = '22023';

/** Runs work again while the server can't be reached. */
export type Patience = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Creates a {@link Patience} that ends after ten minutes, or when `signal` aborts. The last error is thrown then. */
export function createPatience(signal: AbortSignal): Patience {
  return async (work) => {
    const giveUpMs = performance.now() + PATIENCE_MS;
    for (let failures = 0; ; failures++) {
      try {
        return await work();
      } catch (error) {
        if (!isUnreachable(error) || signal.aborted || performance.now() > giveUpMs) throw error;
        await sleep(backoffMs(failures, BACKOFF), undefined, { signal }).catch(() => {});
      }
    }
  };
}

/**
 * Returns a dialect on the connections of another one, for work that outlives an outage of the server. Statements wait until the server
 * is back, and a commit whose answer was lost is looked up, so that nothing is done twice. Transactions need `retryTransactions`, and
 * `db.connection()` and streams don't wait.
 */
export function patientDialect(dialect: Dialect, patience: Patience): Dialect {
  return {
    createDriver: () => new PatientDriver(dialect.createDriver(), patience),
    createAdapter: () => dialect.createAdapter(),
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (db) => dialect.createIntrospector(db),
  };
}

class PatientDriver implements Driver {
  readonly #driver: Driver;
  readonly #patience: Patience;

  constructor(driver: Driver, patience: Patience) {
    this.#driver = driver;
    this.#patience = patience;
  }

  init: Driver['init'] = (options) => this.#driver.init(options);
  /** The other dialect closes the connections. */
  async destroy(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return new LazyConnection((query) => this.#patience(() => retryConflicts(() => this.#runOnce(query))));
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    const { opened } = connection as LazyConnection;
    if (opened) await this.#driver.releaseConnection(opened);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    const opened = await this.#driver.acquireConnection();
    (connection as LazyConnection).opened = opened;
    await this.#driver.beginTransaction(opened, settings);
  }

  commitTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#commit((connection as LazyConnection).opened as DatabaseConnection);
  }

  rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    return this.#driver.rollbackTransaction((connection as LazyConnection).opened as DatabaseConnection);
  }

  /** Runs a statement in a transaction of its own, so that its commit can be looked up. */
  async #runOnce(query: CompiledQuery): Promise<QueryResult<unknown>> {
    const connection = await this.#driver.acquireConnection();
    try {
      if (query.query.kind === 'SelectQueryNode') return await connection.executeQuery(query);
      await this.#driver.beginTransaction(connection, {});
      try {
        const result = await connection.executeQuery(query);
        await this.#commit(connection);
        return result;
      } catch (error) {
        // On a lost connection there is nothing to roll back.
        await this.#driver.rollbackTransaction(connection).catch(() => {});
        throw error;
      }
    } finally {
      await this.#driver.releaseConnection(connection);
    }
  }

  async #commit(connection: DatabaseConnection): Promise<void> {
    // Null for a transaction that wrote nothing.
    const { rows } = await connection.executeQuery<{ readonly id: string | null }>(
      CompiledQuery.raw('select pg_current_xact_id_if_assigned()::text as id'),
    );
    try {
      await this.#driver.commitTransaction(connection);
    } catch (error) {
      const id = rows[0]?.id;
      if (!isUnreachable(error) || !id || !(await this.#wasCommitted(id))) throw error;
    }
  }

  /** Returns whether a transaction whose connection was lost has been committed. */
  async #wasCommitted(id: string): Promise<boolean> {
    for (;;) {
      const status = await this.#patience(() => this.#statusOf(id));
      if (status !== 'in progress') return status === 'committed';
      await sleep(BACKOFF.baseMs);
    }
  }

  async #statusOf(id: string): Promise<string | null | undefined> {
    const connection = await this.#driver.acquireConnection();
    try {
      const query = CompiledQuery.raw('select pg_xact_status($1::text::xid8) as status', [id]);
      const { rows } = await connection.executeQuery<{ readonly status: string | null }>(query);
      return rows[0]?.status;
    } catch (error) {
      if ((error as { readonly code?: unknown }).code === UNKNOWN_TRANSACTION) return null;
      throw error;
    } finally {
      await this.#driver.releaseConnection(connection);
    }
  }
}

/** A connection that is opened by a transaction; without one, each statement uses any. */
class LazyConnection implements DatabaseConnection {
  opened: DatabaseConnection | undefined;
  readonly #runAlone: (query: CompiledQuery) => Promise<QueryResult<unknown>>;

  constructor(runAlone: (query: CompiledQuery) => Promise<QueryResult<unknown>>) {
    this.#runAlone = runAlone;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    return (this.opened ? this.opened.executeQuery(query) : this.#runAlone(query)) as Promise<QueryResult<Row>>;
  }

  streamQuery(): never {
    throw new TypeError("a stream can't go on after an outage; read pages");
  }
}
