import { BerthError, type Logger } from '@berth/kit';
import { migrate } from '@berth/sqlite';
import { Kysely, sql } from 'kysely';
import type { PoolConfig } from 'pg';
import type { AgentDatabase } from './agent-database.ts';
import { createPostgresLocks } from './create-postgres-locks.ts';
import { agentMigrations } from './migrations.ts';
import { noNulPlugin } from './no-nul-plugin.ts';
import { AgentPostgresDialect } from './postgres-dialect.ts';
import type { AgentSchema } from './schema.ts';

/** Of one instance; a Postgres has 100 by default for all. */
const CONNECTIONS = 10;
/** Beside those: changes of files that go on at once. */
const LOCKS_AT_ONCE = 5;
/** A database that does not answer is said to be away after this. */
const CONNECT_TIMEOUT_MS = 10_000;
/** A statement that takes longer waits for something that does not come. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** Instances that start at once change the schema one after another. The number is Berth's own, and arbitrary. */
const SCHEMA_LOCK = 4_851_072_301;

/** OID of int8, which the driver would give as text: all of ours are below 2^53. Source: pg_type.dat. */
const INT8 = 20;

/**
 * Opens the Postgres at `url` and brings the schema up to date.
 * @throws `unavailable` saying why it can't be used; the password is in no message.
 */
export async function openAgentPostgres(url: string, logger: Logger): Promise<AgentDatabase> {
  // An agent on SQLite does not load it.
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
    // One that breaks is replaced at the next use; without listeners it would end the process: the pool's while nobody uses it,
    // its own between two statements of a transaction.
    pool.on('error', onBroken);
    pool.on('connect', (client) => client.on('error', onBroken));
    return new Kysely<AgentSchema>({ dialect: new AgentPostgresDialect({ pool }), plugins: [noNulPlugin()] });
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
    const { message: reason } = (BerthError.is(error) ? error.cause : error) as Error;
    throw new BerthError({
      code: 'unavailable',
      status: 503,
      message: `The database of DATABASE_URL can't be used. ${reason}`,
      cause: error,
    });
  }
  const forLocks = open(LOCKS_AT_ONCE);
  const close = async () => {
    await forLocks.destroy();
    await db.destroy();
  };
  return { db, dialect: 'postgres', locks: createPostgresLocks(forLocks), close };
}
