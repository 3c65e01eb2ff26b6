import { createError } from '@berth/contract';
import { BerthError, type Logger } from '@berth/kit';
import { migrate } from '@berth/sqlite';
import { type DatabaseConnection, Kysely, PostgresDialect, PostgresDriver, sql } from 'kysely';
import type { PoolConfig } from 'pg';
import type { AgentDatabase } from './agent-database.ts';
import { createPostgresLocks } from './create-postgres-locks.ts';
import { agentMigrations } from './migrations.ts';
import { noNulPlugin } from './no-nul-plugin.ts';
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

/**
 * Opens the Postgres database at `url` and migrates its schema.
 * @throws `unavailable` with the reason why it can't be used; no message contains the password.
 */
export async function openAgentPostgres(url: string, logger: Logger): Promise<AgentDatabase> {
  // Loaded lazily: an agent on SQLite doesn't need it.
  const { Pool, types } = (await import('pg')).default;
  const settings: PoolConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : types.getTypeParser(oid, format)),
    },
  };
  const open = (max: number) => {
    const pool = new Pool({ ...settings, max });
    const onBroken = (error: Error) => logger.warn({ error: error.message }, 'a connection to the database broke');
    // A broken connection is replaced at its next use. Without listeners its error would end the process: the pool
    // emits it for idle connections, the client between two statements of a transaction.
    pool.on('error', onBroken);
    pool.on('connect', (client) => client.on('error', onBroken));
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
    if (applied.length > 0) logger.info({ migrations: applied }, 'database schema brought up to date');
  } catch (error) {
    await db.destroy();
    // The driver's error says more than ours, which has it as its cause.
    const { message: reason } = ((BerthError.is(error) && error.cause) || error) as Error;
    throw createError('unavailable', `The database of DATABASE_URL can't be used. ${reason}`, { cause: error });
  }
  const forLocks = open(LOCKS_AT_ONCE);
  const close = async () => {
    await forLocks.destroy();
    await db.destroy();
  };
  return { db, dialect: 'postgres', locks: createPostgresLocks(forLocks), close };
}

/** Kysely's driver, which reports an unreachable database as `unavailable` instead of a socket error. */
class AgentPostgresDriver extends PostgresDriver {
  override async acquireConnection(): Promise<DatabaseConnection> {
    try {
      return await super.acquireConnection();
    } catch (error) {
      throw createError('unavailable', 'The database of the agent is away; try again.', { cause: error });
    }
  }
}
