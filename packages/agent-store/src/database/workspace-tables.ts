import { type Kysely, sql } from 'kysely';
import type { TableCreator } from './table-creator.ts';

/** Creates the tables of teams, their members, and all users of the agent. */
export async function createWorkspaceTables(db: Kysely<unknown>, table: TableCreator): Promise<void> {
  await table(
    'workspaces',
    {
      tenant: 'text',
      id: 'text',
      name: 'text',
      icon: 'text?',
      created_at: 'integer',
      created_by: 'text?',
      removed_at: 'integer?',
      is_purged: 'integer',
    },
    ['tenant', 'id'],
  );
  await sql`
    create index workspaces_removed on workspaces (removed_at) where removed_at is not null and is_purged = 0
  `.execute(db);
  await table(
    'workspace_members',
    {
      tenant: 'text',
      workspace_id: 'text',
      user_id: 'text',
      role: 'text',
      added_by: 'text',
      added_at: 'integer',
    },
    ['tenant', 'workspace_id', 'user_id'],
  );
  await sql`create index workspace_members_of on workspace_members (tenant, user_id, workspace_id, role)`.execute(db);
  await table('workspace_people', { tenant: 'text', user_id: 'text', met_at: 'integer' }, ['tenant', 'user_id']);
}
