import { type Kysely, sql } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import { endOfPrefix, memberKeySuffix, ownerKeyPrefix, teamKey } from '../ports/owner-key.ts';
import type { Tenant } from '../ports/workspace-store.ts';

/** Where members of a workspace keep what is theirs alone; what hangs on a chat is found by the chat. */
const OF_MEMBERS = ['chats', 'shares', 'tool_modes', 'connector_switches'] as const;

/** By whose it is, chats last: they are what a purge that was cut off finds the rest by. */
export const OWNED_TABLES = [
  ...['messages', 'approvals', 'runs', 'trash', 'shares', 'tool_modes', 'app_data', 'app_data_versions'],
  ...['connector_grants', 'connector_authorizations', 'connector_lists', 'connector_calls', 'connector_switches'],
  'chats',
] as const;

/** Takes away all that was kept in a workspace, whoever kept it. Done again it goes on where it was cut off. */
export async function purgeWorkspaceRows(db: Kysely<AgentSchema>, tenant: Tenant, id: string): Promise<void> {
  for (const owner of [teamKey(tenant, id), ...(await memberKeys(db, tenant, id))]) {
    await sql`delete from run_frames where run_id in (select id from runs where owner = ${owner})`.execute(db);
    for (const table of OWNED_TABLES) await sql`delete from ${sql.table(table)} where owner = ${owner}`.execute(db);
  }
}

/** The keys of all who have something in it: its members, those who were, and admins of the organisation. */
async function memberKeys(db: Kysely<AgentSchema>, tenant: Tenant, id: string): Promise<readonly string[]> {
  const suffix = memberKeySuffix(id);
  const prefix = ownerKeyPrefix(tenant);
  // People without an organisation have no prefix of their own; a team's id is nobody else's, whoever made it.
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
