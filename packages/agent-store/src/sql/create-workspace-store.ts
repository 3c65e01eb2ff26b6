import type { Kysely, Selectable } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema, WorkspaceMembersTable, WorkspacesTable } from '../database/schema.ts';
import { memberKey, ownerKey } from '../ports/owner-key.ts';
import type {
  RoleIn,
  StoredMember,
  StoredRole,
  StoredWorkspace,
  Tenant,
  WorkspaceStore,
} from '../ports/workspace-store.ts';
import { dropApprovals } from './drop-approvals.ts';
import { listPeople } from './list-people.ts';
import { purgeWorkspaceRows } from './purge-workspace-rows.ts';

type Db = Kysely<AgentSchema>;

const COLUMNS = ['workspaces.id', 'name', 'icon', 'created_at', 'created_by'] as const;

/** Creates the store of workspaces and members. */
export function createWorkspaceStore({ db, dialect }: AgentDatabase): WorkspaceStore {
  const alive = (on: Db, tenant: Tenant) =>
    on.selectFrom('workspaces').where('workspaces.tenant', '=', tenant).where('removed_at', 'is', null);
  /** Selects workspaces with the user's role in each. */
  const withRole = (tenant: Tenant, userId: string) =>
    alive(db, tenant)
      .leftJoin('workspace_members', (join) =>
        join
          .onRef('workspace_members.tenant', '=', 'workspaces.tenant')
          .onRef('workspace_members.workspace_id', '=', 'workspaces.id')
          .on('workspace_members.user_id', '=', userId),
      )
      .select([...COLUMNS, 'role']);
  const findMember = async (on: Db, tenant: Tenant, id: string, userId: string) => {
    const row = await membersOf(on, tenant, id).selectAll().where('user_id', '=', userId).executeTakeFirst();
    return row && toMember(row);
  };
  return {
    async meet(tenant, userId, nowMs) {
      const row = { tenant, user_id: userId, met_at: nowMs };
      await db
        .insertInto('workspace_people')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async metAtMs(tenant, userId) {
      const row = await db
        .selectFrom('workspace_people')
        .select('met_at')
        .where('tenant', '=', tenant)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row?.met_at;
    },
    people: (tenant) => listPeople(db, tenant),
    add: (tenant, { id, name, icon, createdAtMs, createdBy }, owner) =>
      db.transaction().execute(async (transaction) => {
        const row = { tenant, id, name, icon, created_at: createdAtMs, created_by: createdBy, is_purged: 0 };
        const { numInsertedOrUpdatedRows } = await transaction
          .insertInto('workspaces')
          .values({ ...row, removed_at: null })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirstOrThrow();
        if (numInsertedOrUpdatedRows === 0n) return false;
        if (owner)
          await transaction
            .insertInto('workspace_members')
            .values(toRow(tenant, id, owner))
            .execute();
        return true;
      }),
    async find(tenant, id, userId) {
      const row = await withRole(tenant, userId).where('workspaces.id', '=', id).executeTakeFirst();
      return row && toRoleIn(row);
    },
    async list(tenant, userId) {
      const rows = await alive(db, tenant)
        .innerJoin('workspace_members', (join) =>
          join
            .onRef('workspace_members.tenant', '=', 'workspaces.tenant')
            .onRef('workspace_members.workspace_id', '=', 'workspaces.id'),
        )
        .where('workspace_members.user_id', '=', userId)
        .select([...COLUMNS, 'role'])
        .orderBy('created_at')
        .orderBy('workspaces.id')
        .execute();
      return rows.map(toRoleIn);
    },
    async listAll(tenant, userId) {
      const rows = await withRole(tenant, userId).orderBy('created_at').orderBy('workspaces.id').execute();
      return rows.map(toRoleIn);
    },
    async patch(tenant, id, { name, icon }) {
      const row = await db
        .updateTable('workspaces')
        // Sets the id to itself, so that there is always a column to set.
        .set({ id, ...(name !== undefined && { name }), ...(icon !== undefined && { icon }) })
        .where('tenant', '=', tenant)
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .returning(COLUMNS)
        .executeTakeFirst();
      return row && toWorkspace(row);
    },
    async members(tenant, id) {
      const rows = await membersOf(db, tenant, id).selectAll().orderBy('added_at').orderBy('user_id').execute();
      return rows.map(toMember);
    },
    changeMember: (tenant, id, { callerId, userId }, decide) =>
      db.transaction().execute(async (transaction) => {
        // The workspace's row is locked, so that changes of its members and its removal wait for each other.
        const select = alive(transaction, tenant).select('workspaces.id').where('workspaces.id', '=', id);
        if (!(await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirst())) return false;
        const caller = await findMember(transaction, tenant, id, callerId);
        const member = callerId === userId ? caller : await findMember(transaction, tenant, id, userId);
        const decided = decide({ caller, member });
        if (!decided) {
          await transaction
            .deleteFrom('workspace_members')
            .where('tenant', '=', tenant)
            .where('workspace_id', '=', id)
            .where('user_id', '=', userId)
            .execute();
        } else {
          const { role, added_by, added_at } = toRow(tenant, id, decided);
          await transaction
            .insertInto('workspace_members')
            .values(toRow(tenant, id, decided))
            .onConflict((conflict) =>
              conflict.columns(['tenant', 'workspace_id', 'user_id']).doUpdateSet({ role, added_by, added_at }),
            )
            .execute();
        }
        // Approvals that were requested under the previous role are dropped.
        await dropApprovals(
          transaction,
          memberKey(ownerKey({ id: userId, ...(tenant !== '' && { orgId: tenant }) }), { id, type: 'team' }),
        );
        return true;
      }),
    remove: (tenant, id, nowMs) =>
      db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('workspaces')
          .set({ removed_at: nowMs })
          .where('tenant', '=', tenant)
          .where('id', '=', id)
          .where('removed_at', 'is', null)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows === 0n) return false;
        await transaction
          .deleteFrom('workspace_members')
          .where('tenant', '=', tenant)
          .where('workspace_id', '=', id)
          .execute();
        return true;
      }),
    async removed() {
      const rows = await db
        .selectFrom('workspaces')
        .select(['tenant', 'id', 'removed_at'])
        .where('removed_at', 'is not', null)
        .where('is_purged', '=', 0)
        .orderBy('removed_at')
        .execute();
      return rows.map(({ tenant, id, removed_at }) => ({ tenant, id, removedAtMs: removed_at as number }));
    },
    purgeRows: (tenant, id) => purgeWorkspaceRows(db, tenant, id),
    async markPurged(tenant, id) {
      await db
        .updateTable('workspaces')
        .set({ is_purged: 1, name: '', icon: null })
        .where('tenant', '=', tenant)
        .where('id', '=', id)
        .where('removed_at', 'is not', null)
        .execute();
    },
  };
}

function membersOf(on: Db, tenant: Tenant, id: string) {
  return on.selectFrom('workspace_members').where('tenant', '=', tenant).where('workspace_id', '=', id);
}

type WorkspaceRow = Pick<Selectable<WorkspacesTable>, 'id' | 'name' | 'icon' | 'created_at' | 'created_by'>;

function toWorkspace(row: WorkspaceRow): StoredWorkspace {
  const { id, name, icon, created_at: createdAtMs, created_by: createdBy } = row;
  return { id, name, icon, createdAtMs, createdBy };
}

function toRoleIn(row: WorkspaceRow & { readonly role: string | null }): RoleIn {
  return { workspace: toWorkspace(row), role: (row.role ?? undefined) as StoredRole | undefined };
}

function toMember(row: Selectable<WorkspaceMembersTable>): StoredMember {
  return { userId: row.user_id, role: row.role as StoredRole, addedBy: row.added_by, addedAtMs: row.added_at };
}

function toRow(tenant: Tenant, id: string, { userId, role, addedBy, addedAtMs }: StoredMember) {
  return { tenant, workspace_id: id, user_id: userId, role, added_by: addedBy, added_at: addedAtMs };
}
