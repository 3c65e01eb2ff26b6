import { createHash } from 'node:crypto';
import { createError } from '@berth/contract';
import type { Logger } from '@berth/kit';
import type { Client } from 'pg';
import { type AgentIdentity, otherProject } from './agent-identity.ts';

/** Maximum length of a Postgres identifier, in bytes. Source: the PostgreSQL manual, 4.1.1. */
const IDENTIFIER_BYTES = 63;

/** SQLSTATE insufficient_privilege. Source: the PostgreSQL manual, appendix A. */
const INSUFFICIENT_PRIVILEGE = '42501';

/** The table that says which agent a schema belongs to. It has one row. */
const OWNER_TABLE = 'berth_agent';

/** A table of each agent since the first version. */
const FIRST_TABLE = 'run_frames';

/** Returns the name of an agent's own schema: `agent_<name>` with underscores, shortened with a hash when too long. */
export function schemaNameOf(name: string): string {
  const schema = `agent_${name.replaceAll('-', '_')}`;
  if (schema.length <= IDENTIFIER_BYTES) return schema;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${schema.slice(0, IDENTIFIER_BYTES - hash.length - 1)}_${hash}`;
}

/**
 * Returns the schema that holds the agent's tables, and records there which agent it belongs to. The caller holds a
 * lock over all instances. In this order:
 *
 * 1. a schema that the URL chooses by its `search_path`;
 * 2. the agent's own schema, see {@link schemaNameOf}, if it exists;
 * 3. the connection's default schema, if an earlier version of Berth left tables there that no agent owns yet, or this
 *    one does. The tables stay where they are, so that a revision of the earlier version can finish its turns;
 * 4. the agent's own schema, which is created.
 *
 * @param client a connection with the URL's settings.
 * @throws `conflict` when the schema belongs to another agent; `unavailable` when it can't be created.
 */
export async function chooseSchema(
  client: Client,
  agent: AgentIdentity,
  { hasSearchPath, logger }: { readonly hasSearchPath: boolean; readonly logger: Logger },
): Promise<string> {
  const { rows } = await client.query<{ readonly schema: string | null }>('select current_schema() as schema');
  const current = rows[0]?.schema ?? undefined;
  if (hasSearchPath) {
    if (current === undefined) throw unavailable('The schema in the search_path of DATABASE_URL does not exist.');
    const owner = await findOwner(client, current);
    if (owner && owner.name !== agent.name) throw otherName(current, owner, agent);
    await claim(client, current, owner, agent);
    return current;
  }
  const own = schemaNameOf(agent.name);
  const exists = await client.query('select 1 from pg_namespace where nspname = $1', [own]);
  if (exists.rows.length > 0) {
    const owner = await findOwner(client, own);
    // The names of two agents can't lead to the same schema, so another name was recorded by hand.
    if (owner && owner.name !== agent.name) throw otherName(own, owner, agent);
    await claim(client, own, owner, agent);
    return own;
  }
  if (current !== undefined && (await hasTable(client, current, FIRST_TABLE))) {
    const owner = await findOwner(client, current);
    if (!owner || owner.name === agent.name) {
      if (!owner) logger.info({ schema: current }, 'the agent continues with the tables of an earlier version');
      await claim(client, current, owner, agent);
      return current;
    }
  }
  await createSchema(client, own, agent);
  logger.info({ schema: own }, 'a schema was created for the agent; a renamed agent finds its data with storageName');
  return own;
}

async function hasTable(client: Client, schema: string, table: string): Promise<boolean> {
  const found = await client.query('select 1 from pg_tables where schemaname = $1 and tablename = $2', [schema, table]);
  return found.rows.length > 0;
}

async function findOwner(client: Client, schema: string): Promise<AgentIdentity | undefined> {
  if (!(await hasTable(client, schema, OWNER_TABLE))) return undefined;
  const { rows } = await client.query<AgentIdentity>(`select name, project from ${ownerTable(client, schema)}`);
  return rows[0];
}

/** Records the agent as the schema's owner, or compares it with the recorded one. */
async function claim(
  client: Client,
  schema: string,
  owner: AgentIdentity | undefined,
  agent: AgentIdentity,
): Promise<void> {
  if (!owner) return record(client, schema, agent);
  if (owner.project === agent.project) return;
  throw otherProject(
    `The schema "${schema}" of DATABASE_URL`,
    owner,
    agent.project,
    'set DATABASE_URL to another database',
  );
}

async function record(client: Client, schema: string, { name, project }: AgentIdentity): Promise<void> {
  const table = ownerTable(client, schema);
  // Both statements are of the caller's transaction.
  await client.query(
    `create table if not exists ${table} (id integer primary key check (id = 1), name text not null, project text not null)`,
  );
  await client.query(`insert into ${table} (id, name, project) values (1, $1, $2)`, [name, project]);
}

async function createSchema(client: Client, schema: string, agent: AgentIdentity): Promise<void> {
  try {
    await client.query(`create schema ${client.escapeIdentifier(schema)}`);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== INSUFFICIENT_PRIVILEGE) throw error;
    const statement = `create schema ${schema} authorization ${client.user}`;
    throw unavailable(`The agent's schema can't be created. Let the database's owner run: ${statement}`, error);
  }
  await record(client, schema, agent);
}

function ownerTable(client: Client, schema: string): string {
  return `${client.escapeIdentifier(schema)}.${OWNER_TABLE}`;
}

function otherName(schema: string, owner: AgentIdentity, agent: AgentIdentity) {
  return createError(
    'conflict',
    `The schema "${schema}" of DATABASE_URL belongs to the agent "${owner.name}"; this one is "${agent.name}". ` +
      `Leave search_path out of DATABASE_URL to give it a schema of its own, or set storageName: '${owner.name}' if it was renamed.`,
  );
}

function unavailable(message: string, cause?: unknown) {
  return createError('unavailable', message, { cause });
}
