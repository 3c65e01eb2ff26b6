import { createSilentLogger, type Logger } from '@berth/kit';
import { type Migration, migrate } from '@berth/sqlite';
import { Kysely, sql } from 'kysely';
import { columnTypesPlugin } from './column-types-plugin.ts';
import { noNulPlugin } from './no-nul-plugin.ts';
import { createNotices, type Notices } from './notices.ts';
import { openPool } from './open-pool.ts';
import { createPatience, patientDialect } from './patient-driver.ts';
import { unusable } from './report-unreachable.ts';
import { retryConflicts, retryTransactions } from './retry-conflicts.ts';

/** Connections per process; Postgres allows 100 in total by default. */
const CONNECTIONS = 10;

/** Advisory lock under which starting servers migrate a schema one after another. The number is arbitrary. */
const MIGRATION_LOCK = 4_851_072_302;

const UNREACHABLE = "The database can't be reached. Try again.";

/** Options of {@link openPostgres}. */
export interface OpenPostgresOptions {
  readonly url: string;
  /** Postgres schema of the tables, created if missing. Lower-case letters and `_`. */
  readonly schema: string;
  /** The migrations of its tables, in order. */
  readonly migrations: readonly Migration[];
  /**
   * Isolation of statements and transactions. `serializable`: as if they ran one after another, and those that can't are run again, so
   * the callback of a transaction must have no effects besides its queries. Default: `serializable`.
   */
  readonly isolation?: 'serializable' | 'read committed';
  /** Maximum number of connections. Default: 10. */
  readonly connections?: number;
  readonly logger?: Logger;
}

/** An open schema of a Postgres database. */
export interface OpenPostgres<Schema> {
  readonly db: Kysely<Schema>;
  /**
   * The same tables for work that outlives an outage of the server: statements and transactions wait until it is back, at most ten
   * minutes and until {@link OpenPostgres.close}, and are done once even if the answer to their commit was lost.
   */
  readonly patientDb: Kysely<Schema>;
  readonly notices: Notices;
  /** Closes all connections after running queries. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens a schema of a Postgres database, and migrates it.
 * @throws `unavailable` with the reason when the database can't be used or was written by a newer Berth. No message contains the password.
 */
export async function openPostgres<Schema>(options: OpenPostgresOptions): Promise<OpenPostgres<Schema>> {
  const { url, schema, migrations, logger = createSilentLogger() } = options;
  const { db, dialect } = connect<Schema>(options);
  try {
    const applied = await prepareSchema(db as Kysely<unknown>, schema, migrations);
    if (applied.length > 0) logger.info({ schema, migrations: applied }, 'database schema migrated');
  } catch (error) {
    await db.destroy();
    const hint = `Let the database's owner run: create schema ${schema} authorization <user>`;
    throw unusable(error, hint);
  }
  retryTransactions(db);
  const closing = new AbortController();
  const patience = createPatience(closing.signal);
  const patientDb = new Kysely<Schema>({ dialect: patientDialect(dialect, patience), plugins: [noNulPlugin()] });
  retryTransactions(patientDb, (work) => patience(() => retryConflicts(work)));
  const notices = createNotices({ db: db as Kysely<unknown>, url, prefix: schema, logger });
  let closed: Promise<void> | undefined;
  const close = async () => {
    closing.abort();
    await notices.close();
    await db.destroy();
  };
  return { db, patientDb, notices, close: () => (closed ??= close()) };
}

/** Options of {@link connectPostgres}. */
export type ConnectPostgresOptions = Omit<OpenPostgresOptions, 'migrations'>;

/** Returns a handle on a schema, whose tables are neither created nor changed. Its transactions don't run again. */
export function connectPostgres<Schema>(options: ConnectPostgresOptions): Kysely<Schema> {
  return connect<Schema>(options).db;
}

function connect<Schema>({ url, schema, ...options }: ConnectPostgresOptions) {
  const dialect = openPool({
    url,
    logger: options.logger ?? createSilentLogger(),
    connections: options.connections ?? CONNECTIONS,
    unreachableMessage: UNREACHABLE,
    onConnect: (client) =>
      client.query(
        `set search_path to ${client.escapeIdentifier(schema)}; set session characteristics as transaction isolation level ${options.isolation ?? 'serializable'}`,
      ),
  });
  return { dialect, db: new Kysely<Schema>({ dialect, plugins: [noNulPlugin()] }) };
}

/** Creates the schema if it is missing, and runs the missing migrations, while no other server does. */
function prepareSchema(db: Kysely<unknown>, schema: string, migrations: readonly Migration[]) {
  return db.connection().execute(async (connection) => {
    // Servers wait here for the one that migrates, however long that takes.
    await sql`set statement_timeout to 0`.execute(connection);
    await sql`select pg_advisory_lock(${MIGRATION_LOCK}::bigint)`.execute(connection);
    try {
      const exists = await sql`select 1 from pg_namespace where nspname = ${schema}`.execute(connection);
      if (exists.rows.length === 0) await connection.schema.createSchema(schema).execute();
      return await migrate(connection.withPlugin(columnTypesPlugin()), migrations);
    } finally {
      await sql`select pg_advisory_unlock(${MIGRATION_LOCK}::bigint)`.execute(connection);
      await sql`reset statement_timeout`.execute(connection);
    }
  });
}
