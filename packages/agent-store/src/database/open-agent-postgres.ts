import { createError } from '@berth/contract';
import { BerthError, type Logger } from '@berth/kit';
import { migrate } from '@berth/sqlite';
import { Kysely, sql } from 'kysely';
import type { Client } from 'pg';
import type { AgentDatabase } from './agent-database.ts';
import type { AgentIdentity } from './agent-identity.ts';
import { chooseSchema } from './choose-schema.ts';
import { createPostgresLocks } from './create-postgres-locks.ts';
import { agentMigrations } from './migrations.ts';
import type { AgentSchema } from './schema.ts';

/** Connections per instance; Postgres allows 100 in total by default. */
const CONNECTIONS = 10;
/** Additional connections, for concurrent locks. */
const LOCKS_AT_ONCE = 5;
const UNREACHABLE = "The agent can't reach its database. Try again.";

/** Advisory lock under which starting instances migrate the schema one after another. The number is arbitrary. */
const SCHEMA_LOCK = 4_851_072_301;

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
  const [{ default: pg }, { connectionSettings, noNulPlugin, openPool }] = await Promise.all([
    import('pg'),
    import('@berth/postgres'),
  ]);
  const schema = await prepareSchema(new pg.Client(connectionSettings(url)), { url, agent, logger });
  const open = (connections: number) => {
    const dialect = openPool({
      url,
      connections,
      logger,
      unreachableMessage: UNREACHABLE,
      onConnect: (client) => client.query(`set search_path to ${client.escapeIdentifier(schema)}`),
    });
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
