import { type Kysely, sql } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import { endOfPrefix, memberKeySuffix, ownerKeyPrefix, teamKey } from '../ports/owner-key.ts';
import type { Tenant } from '../ports/workspace-store.ts';

/** Tables by which the members' keys are found. Rows that belong to a chat are found through the chat. */
const OF_MEMBERS = ['chats', 'shares', 'tool_modes', 'connector_switches', 'tasks', 'memories'] as const;

/** Tables with an owner. Chats come last: an interrupted purge finds the remaining rows through them. */
export const OWNED_TABLES = [
  'messages',
  'branch_messages',
  'search_messages',
  'feedback',
  'approvals',
  'runs',
  'trash',
  'shares',
  'tool_modes',
  'app_data',
  'app_data_versions',
  'connector_grants',
  'connector_authorizations',
  'connector_lists',
  'connector_calls',
  'connector_switches',
  'tasks',
  'memories',
  'chats',
] as const;

/** Deletes all rows of a workspace and its members. Can be repeated after an interruption. */
export async function purgeWorkspaceRows(db: Kysely<AgentSchema>, tenant: Tenant, id: string): Promise<void> {
  for (const owner of [teamKey(tenant, id), ...(await memberKeys(db, tenant, id))]) {
    await sql`delete from run_frames where run_id in (select id from runs where owner = ${owner})`.execute(db);
    for (const table of OWNED_TABLES) await sql`delete from ${sql.table(table)} where owner = ${owner}`.execute(db);
  }
}

/** Returns the keys of everyone with rows in the workspace: members, former members and the organization's admins. */
async function memberKeys(db: Kysely<AgentSchema>, tenant: Tenant, id: string): Promise<readonly string[]> {
  const suffix = memberKeySuffix(id);
  const prefix = ownerKeyPrefix(tenant);
  // Users without an organization have no common prefix; a team's id is unique among them.
  const ofTenant = prefix === '' ? sql`` : sql`and owner >= ${prefix} and owner < ${endOfPrefix(prefix)}`;
  const found = OF_MEMBERS.map(
    (table) => sql`
      select owner from ${sql.table(table)}
      where substr(owner, length(owner) - ${suffix.length - 1}) = ${suffix}
        ${ofTenant}`,
  );
  const { rows } = await sql<{ owner: string }>`${sql.join(found, sql` union `)}`.execute(db);
  return rows.map(({ owner }) => owner);
}
