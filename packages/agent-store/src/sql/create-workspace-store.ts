import type { Kysely } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import { endOfPrefix, memberKey, ownerKey, ownerKeyPrefix, parseOwnerKey } from '../ports/owner-key.ts';
import type {
  KnownMember,
  RoleIn,
  StoredMember,
  StoredPerson,
  StoredRole,
  StoredWorkspace,
  Tenant,
  WorkspaceStore,
} from '../ports/workspace-store.ts';
import { dropApprovals } from './chat-rows.ts';
import { purgeWorkspaceRows } from './purge-workspace-rows.ts';

type Db = Kysely<AgentSchema>;

const WORKSPACE = ['workspaces.id', 'name', 'icon', 'created_at as createdAtMs', 'created_by as createdBy'] as const;
const MEMBER = ['workspace_members.user_id as userId', 'role', 'added_by as addedBy', 'added_at as addedAtMs'] as const;

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
      .select([...WORKSPACE, 'role']);
  const members = (on: Db, tenant: Tenant, id: string) =>
    on
      .selectFrom('workspace_members')
      .select(MEMBER)
      .where('workspace_members.tenant', '=', tenant)
      .where('workspace_id', '=', id);
  return {
    async meet(tenant, { userId, name, email }, nowMs) {
      const profile = { ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
      await db
        .insertInto('workspace_people')
        .values({ tenant, user_id: userId, met_at: nowMs, name: null, email: null, ...profile })
        .onConflict((conflict) => conflict.columns(['tenant', 'user_id']).doUpdateSet({ user_id: userId, ...profile }))
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
    async profiles(tenant) {
      const rows = await db
        .selectFrom('workspace_people')
        .select(['user_id as userId', 'name', 'email'])
        .where('tenant', '=', tenant)
        .where((eb) => eb.or([eb('name', 'is not', null), eb('email', 'is not', null)]))
        .orderBy('user_id')
        .execute();
      return rows.map(withProfile);
    },
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
        .select([...WORKSPACE, 'role'])
        .orderBy('created_at')
        .orderBy('workspaces.id')
        .execute();
      return rows.map(toRoleIn);
    },
    async listAll(tenant, userId) {
      const rows = await withRole(tenant, userId).orderBy('created_at').orderBy('workspaces.id').execute();
      return rows.map(toRoleIn);
    },
    patch: (tenant, id, { name, icon }) =>
      db
        .updateTable('workspaces')
        // Sets the id to itself, so that there is always a column to set.
        .set({ id, ...(name !== undefined && { name }), ...(icon !== undefined && { icon }) })
        .where('tenant', '=', tenant)
        .where('id', '=', id)
        .where('removed_at', 'is', null)
        .returning(WORKSPACE)
        .executeTakeFirst(),
    async members(tenant, id) {
      const rows = await members(db, tenant, id)
        .leftJoin('workspace_people as people', (join) =>
          join
            .onRef('people.tenant', '=', 'workspace_members.tenant')
            .onRef('people.user_id', '=', 'workspace_members.user_id'),
        )
        .select(['people.name', 'people.email'])
        .orderBy('added_at')
        .orderBy('workspace_members.user_id')
        .execute();
      return rows.map((row): KnownMember => withProfile(row));
    },
    changeMember: (tenant, id, { callerId, userId }, decide) =>
      db.transaction().execute(async (transaction) => {
        // The workspace's row is locked, so that changes of its members and its removal wait for each other.
        const select = alive(transaction, tenant).select('workspaces.id').where('workspaces.id', '=', id);
        if (!(await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirst())) return false;
        const find = (who: string) =>
          members(transaction, tenant, id).where('workspace_members.user_id', '=', who).executeTakeFirst();
        const caller = await find(callerId);
        const member = callerId === userId ? caller : await find(userId);
        const decided = decide({ caller, member });
        if (!decided) {
          await transaction
            .deleteFrom('workspace_members')
            .where((eb) => eb.and({ tenant, workspace_id: id, user_id: userId }))
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
        const deletion = transaction.deleteFrom('workspace_members');
        await deletion.where('tenant', '=', tenant).where('workspace_id', '=', id).execute();
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

function toRoleIn({ role, ...workspace }: StoredWorkspace & { readonly role: StoredRole | null }): RoleIn {
  return { workspace, role: role ?? undefined };
}

function toRow(tenant: Tenant, id: string, { userId, role, addedBy, addedAtMs }: StoredMember) {
  return { tenant, workspace_id: id, user_id: userId, role, added_by: addedBy, added_at: addedAtMs };
}

/** Returns a row without the fields of its profile that are null. */
function withProfile<Row extends { readonly name: string | null; readonly email: string | null }>({
  name,
  email,
  ...row
}: Row) {
  return { ...row, ...(name !== null && { name }), ...(email !== null && { email }) };
}

/** Returns all users of a tenant. Users from before the agent had teams are found by their chats. */
async function listPeople(db: Db, tenant: Tenant): Promise<readonly StoredPerson[]> {
  const met = await db
    .selectFrom('workspace_people')
    .select(['user_id as userId', 'met_at as metAtMs'])
    .where('tenant', '=', tenant)
    .execute();
  const prefix = ownerKeyPrefix(tenant);
  const chatting = await db
    .selectFrom('chats')
    .select((eb) => ['owner', eb.fn.min('created_at').as('metAtMs')])
    .where('owner', '>=', prefix)
    .where('owner', '<', endOfPrefix(prefix))
    .groupBy('owner')
    .execute();
  const firstMs = new Map(met.map(({ userId, metAtMs }) => [userId, metAtMs]));
  for (const { owner, metAtMs } of chatting) {
    const person = parseOwnerKey(owner);
    if (person) firstMs.set(person.id, Math.min(metAtMs, firstMs.get(person.id) ?? metAtMs));
  }
  return [...firstMs]
    .map(([userId, metAtMs]) => ({ userId, metAtMs }))
    .sort((one, other) => (one.userId < other.userId ? -1 : 1));
}
