import { createError } from '@berth/contract';
import { BerthError, type Logger } from '@berth/kit';
import { migrate } from '@berth/sqlite';
import { type DatabaseConnection, Kysely, PostgresDialect, PostgresDriver, sql } from 'kysely';
import type { Client, PoolConfig } from 'pg';
import type { AgentDatabase } from './agent-database.ts';
import type { AgentIdentity } from './agent-identity.ts';
import { chooseSchema } from './choose-schema.ts';
import { createPostgresLocks } from './create-postgres-locks.ts';
import { agentMigrations } from './migrations.ts';
import { noNulPlugin } from './no-nul-plugin.ts';
import { reportUnreachable, unreachable } from './report-unreachable.ts';
import type { AgentSchema } from './schema.ts';

/** Connections per instance; Postgres allows 100 in total by default. */
const CONNECTIONS = 10;
/** Additional connections, for concurrent locks. */
const LOCKS_AT_ONCE = 5;
/** Timeout of a connection attempt. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Timeout of a statement; one that takes longer is waiting in vain. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Advisory lock under which starting instances migrate the schema one after another. The number is arbitrary. */
const SCHEMA_LOCK = 4_851_072_301;

/** OID of int8, which the driver returns as text. All values are below 2^53. Source: pg_type.dat. */
const INT8 = 20;

/** Options of {@link openAgentPostgres}. */
export interface OpenAgentPostgresOptions {
  /** URL of the database. A `search_path` in its `options` chooses the schema. */
  readonly url: string;
  readonly agent: AgentIdentity;
  readonly logger: Logger;
}

/**
 * Opens the agent's schema in a Postgres database, see {@link chooseSchema}, and migrates it.
 * @throws `conflict` when the schema belongs to another agent; `unavailable` with the reason why the database can't be
 * used. No message contains the password.
 */
export async function openAgentPostgres({ url, agent, logger }: OpenAgentPostgresOptions): Promise<AgentDatabase> {
  // Loaded lazily: an agent on SQLite doesn't need it.
  const { Client, Pool, types } = (await import('pg')).default;
  const settings: PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
    },
  };
  const schema = await prepareSchema(new Client(settings), { url, agent, logger });
  const open = (max: number) => {
    const pool = new Pool({
      ...settings,
      max,
      onConnect(client) {
        // A broken connection is replaced at its next use. Without listeners its error would end the process: the pool
        // emits it for idle connections, the client between two statements of a transaction.
        client.on('error', onBroken);
        reportUnreachable(client);
        return client.query(`set search_path to ${client.escapeIdentifier(schema)}`);
      },
    });
    const onBroken = (error: Error) => logger.warn({ error: error.message }, 'a database connection was lost');
    pool.on('error', onBroken);
    const dialect = new PostgresDialect({ pool });
    dialect.createDriver = () => new AgentPostgresDriver({ pool });
    return new Kysely<AgentSchema>({ dialect, plugins: [noNulPlugin()] });
  };
  const db = open(CONNECTIONS);
  try {
    const applied = await db.connection().execute(async (connection) => {
      await sql`select pg_advisory_lock(${SCHEMA_LOCK})`.execute(connection);
      try {
        return await migrate(connection as unknown as Kysely<unknown>, agentMigrations('postgres'));
      } finally {
        await sql`select pg_advisory_unlock(${SCHEMA_LOCK})`.execute(connection);
      }
    });
    if (applied.length > 0) logger.info({ schema, migrations: applied }, 'database schema migrated');
  } catch (error) {
    await db.destroy();
    throw unusable(error);
  }
  const forLocks = open(LOCKS_AT_ONCE);
  const close = async () => {
    await forLocks.destroy();
    await db.destroy();
  };
  return { db, dialect: 'postgres', locks: createPostgresLocks(forLocks), heartbeatPlace: { url, schema }, close };
}

/** Chooses the agent's schema, creates it when missing, and records that it is the agent's. Closes the client. */
async function prepareSchema(client: Client, { url, agent, logger }: OpenAgentPostgresOptions): Promise<string> {
  // Without a listener the error of a broken connection would end the process; the next query reports it too.
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [SCHEMA_LOCK]);
    const options = new URLSearchParams(url.split('?')[1]).get('options') ?? '';
    const schema = await chooseSchema(client, agent, { hasSearchPath: options.includes('search_path'), logger });
    await client.query('commit');
    return schema;
  } catch (error) {
    throw BerthError.is(error) ? error : unusable(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Returns the error for a database that can't be opened. */
function unusable(error: unknown) {
  // The driver's error says more than ours, which has it as its cause.
  const { message: reason } = ((BerthError.is(error) && error.cause) || error) as Error;
  return createError('unavailable', `The database of DATABASE_URL can't be used. ${reason}`, { cause: error });
}

/** Kysely's driver, which reports an unreachable database as `unavailable` instead of a socket error. */
class AgentPostgresDriver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw BerthError.is(error) ? error : unreachable(error);
    }
  }
}
