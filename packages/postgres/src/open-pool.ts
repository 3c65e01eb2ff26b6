import { BerthError, type Logger } from '@berth/kit';
import { type DatabaseConnection, PostgresDialect, PostgresDriver, type TransactionSettings } from 'kysely';
import pg, { type ClientBase, type PoolConfig } from 'pg';
import { reportUnreachable, unreachable } from './report-unreachable.ts';
import { retryConflicts } from './retry-conflicts.ts';

/** Timeout of a connection attempt. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Timeout of a statement; one that takes longer is waiting in vain. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** A transaction that does nothing for this long has lost its process; its locks would stop the others. */
const IDLE_TRANSACTION_TIMEOUT_MS = 60_000;

/** OIDs of int8 and numeric, which the driver returns as text. All values are below 2^53. Source: pg_type.dat. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

/** Settings of every connection to the server that `url` names. */
export function connectionSettings(url: string): PoolConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_TRANSACTION_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (oid, format) => (NUMBERS.has(oid) ? Number : pg.types.getTypeParser(oid, format)),
    },
  };
}

/** Options of {@link openPool}. */
export interface OpenPoolOptions {
  readonly url: string;
  /** Maximum number of connections. */
  readonly connections: number;
  readonly logger: Logger;
  /** Message of the error for a server that can't be reached. */
  readonly unreachableMessage: string;
  /** Prepares each new connection. */
  onConnect(client: ClientBase): Promise<unknown>;
}

/**
 * Creates a Kysely dialect on a pool of connections, which open when they are used. Its queries report an unreachable server as
 * `unavailable` instead of a socket error, and a broken connection is replaced at its next use.
 */
export function openPool({
  url,
  connections,
  logger,
  unreachableMessage,
  onConnect,
}: OpenPoolOptions): PostgresDialect {
  const outage = createOutageLog(logger);
  const pool = new pg.Pool({
    ...connectionSettings(url),
    max: connections,
    onConnect(client) {
      // Without listeners the error of a broken connection would end the process: the pool emits it for idle connections, the
      // client between two statements of a transaction.
      client.on('error', outage.begin);
      reportUnreachable(client, unreachableMessage);
      return onConnect(client);
    },
  });
  pool.on('error', outage.begin);
  const dialect = new PostgresDialect({ pool });
  dialect.createDriver = () => new ReportingDriver({ pool }, unreachableMessage, outage);
  return dialect;
}

interface OutageLog {
  begin(error: Error): void;
  end(): void;
}

/** Logs the begin and the end of an outage, and none of the failures between. */
function createOutageLog(logger: Logger): OutageLog {
  let sinceMs: number | undefined;
  return {
    begin(error) {
      if (sinceMs !== undefined) return;
      sinceMs = performance.now();
      logger.warn({ error: error.message }, 'a connection to the database was lost or could not be opened');
    },
    end() {
      if (sinceMs === undefined) return;
      logger.warn({ afterMs: Math.round(performance.now() - sinceMs) }, 'the database is connected again');
      sinceMs = undefined;
    },
  };
}

/** Kysely's driver, which also reports connections that can't be opened, and runs statements again that failed by a conflict. */
class ReportingDriver extends PostgresDriver {
  readonly #message: string;
  readonly #outage: OutageLog;
  /** Connections whose statements run again. */
  readonly #prepared = new WeakSet<DatabaseConnection>();
  /** A statement of a transaction can't run again: the transaction has failed. */
  readonly #inTransaction = new WeakSet<DatabaseConnection>();

  constructor(config: ConstructorParameters<typeof PostgresDriver>[0], message: string, outage: OutageLog) {
    super(config);
    this.#message = message;
    this.#outage = outage;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    try {
      const connection = await super.acquireConnection();
      if (!this.#prepared.has(connection)) this.#prepare(connection);
      this.#outage.end();
      return connection;
    } catch (error) {
      this.#outage.begin(error as Error);
      throw BerthError.is(error) ? error : unreachable(error, this.#message);
    }
  }

  override async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    this.#inTransaction.add(connection);
    await super.beginTransaction(connection, settings);
  }

  override async releaseConnection(connection: DatabaseConnection): Promise<void> {
    this.#inTransaction.delete(connection);
    await super.releaseConnection(connection as Parameters<PostgresDriver['releaseConnection']>[0]);
  }

  #prepare(connection: DatabaseConnection): void {
    this.#prepared.add(connection);
    const execute = connection.executeQuery.bind(connection) as DatabaseConnection['executeQuery'];
    connection.executeQuery = (query, options) =>
      this.#inTransaction.has(connection) ? execute(query, options) : retryConflicts(() => execute(query, options));
  }
}
