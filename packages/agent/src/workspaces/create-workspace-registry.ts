import { type ActiveWorkspace, type Caller, personalWorkspace } from '@berth/agent-core';
import {
  type DecideMember,
  type KnownMember,
  type RoleIn,
  type StoredMember,
  type StoredWorkspace,
  teamKey,
  type WorkspaceStore,
} from '@berth/agent-store';
import { createError } from '@berth/contract';
import {
  foldWorkspaceName,
  GENERAL_ID,
  type Person,
  type Workspace,
  type WorkspaceMember,
  type WorkspaceRole,
} from '@berth/contract/agent';
import type { Clock, IdSource, Logger } from '@berth/kit';
import type { PeopleRecorder } from './people-recorder.ts';
import { isOrgAdmin, mayOwn, noWorkspace, putMember, removeMember, roleIn } from './workspace-rules.ts';

interface WorkspaceRegistryOptions {
  readonly store: WorkspaceStore;
  readonly people: PeopleRecorder;
  /** People who may create a team: every member, or only admins of an organization. */
  readonly policy: 'member' | 'admin';
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly logger: Logger;
  /** Called after a workspace was removed, when its data can be deleted. */
  onRemoved(): void;
}

/** A team, with the role of the caller in it. */
interface Entered extends RoleIn {
  readonly callerRole: WorkspaceRole;
}

/**
 * The workspaces of an agent and the roles of their members. Every call throws the same `not_found` for a workspace that
 * the caller isn't a member of, that was deleted, or whose id is unknown or malformed.
 */
export type WorkspaceRegistry = ReturnType<typeof createWorkspaceRegistry>;

/** Creates a registry on the store. Caches nothing, so changes by other processes count at once. */
export function createWorkspaceRegistry(options: WorkspaceRegistryOptions) {
  const { store, people, policy, clock, ids, logger } = options;
  const tenantOf = (user: Caller) => user.orgId ?? '';
  const enterTeam = async (user: Caller, id: string): Promise<Entered> => {
    await people.record(user);
    const found = TEAM_ID.test(id) ? await store.find(tenantOf(user), id, user.id) : undefined;
    const callerRole = found && roleIn(id, user, found.role);
    if (!found || !callerRole) throw noWorkspace();
    return { ...found, callerRole };
  };
  /** Returns a team that the caller may rename and delete. @throws `forbidden` */
  const own = async (user: Caller, id: string): Promise<Entered> => {
    if (isPersonalId(id, user)) throw createError('forbidden', "A personal workspace can't be changed.");
    const entered = await enterTeam(user, id);
    if (mayOwn(entered.callerRole, user)) return entered;
    throw createError('forbidden', 'Only its owner and admins of the organization can rename or delete it.');
  };
  const refuseReserved = async (user: Caller, name: string, id: string | undefined): Promise<void> => {
    const folded = foldWorkspaceName(name);
    const general = id === GENERAL_ID ? undefined : await store.find(tenantOf(user), GENERAL_ID, user.id);
    const reserved = ['Personal', ...(general ? [general.workspace.name] : [])];
    if (!reserved.some((one) => foldWorkspaceName(one) === folded)) return;
    throw createError('conflict', `The name "${name}" is used by another kind of workspace. Choose another name.`);
  };
  const change = async (user: Caller, id: string, userId: string, decide: DecideMember): Promise<void> => {
    if (isPersonalId(id, user)) throw createError('forbidden', 'A personal workspace has no members except its owner.');
    await people.record(user);
    if (!TEAM_ID.test(id)) throw noWorkspace();
    if (!(await store.changeMember(tenantOf(user), id, { callerId: user.id, userId }, decide))) throw noWorkspace();
  };
  const personal = async (user: Caller): Promise<Workspace> =>
    personalView(user.id, (await store.metAtMs(tenantOf(user), user.id)) ?? clock.nowMs(), 'owner');

  return {
    /** See {@link WorkspaceAccess}. */
    async enter(user: Caller, workspaceId: string | undefined): Promise<ActiveWorkspace> {
      if (workspaceId === undefined || isPersonalId(workspaceId, user)) {
        await people.record(user);
        return personalWorkspace(user);
      }
      const { callerRole: role } = await enterTeam(user, workspaceId);
      return { id: workspaceId, type: 'team', role, key: teamKey(user.orgId, workspaceId) };
    },
    /** Returns one workspace. */
    async get(user: Caller, workspaceId: string): Promise<Workspace> {
      if (isPersonalId(workspaceId, user)) return personal(user);
      const { workspace, callerRole } = await enterTeam(user, workspaceId);
      return teamView(workspace, callerRole);
    },
    /**
     * Returns the caller's workspaces: the personal one, General, then the other teams.
     * @param options `isAll` adds all other workspaces of the organization for its admins; ignored for other callers
     */
    async list(user: Caller, { isAll = false }: { readonly isAll?: boolean } = {}): Promise<readonly Workspace[]> {
      await people.record(user);
      const tenant = tenantOf(user);
      const isEverything = isAll && isOrgAdmin(user);
      const [own, general, teams] = await Promise.all([
        personal(user),
        store.find(tenant, GENERAL_ID, user.id),
        isEverything ? store.listAll(tenant, user.id) : store.list(tenant, user.id),
      ]);
      const others = teams.filter(({ workspace }) => workspace.id !== GENERAL_ID);
      const rows = [own];
      for (const { workspace, role } of general ? [general, ...others] : others) {
        const callerRole = roleIn(workspace.id, user, role);
        if (callerRole) rows.push(teamView(workspace, callerRole));
      }
      if (!isEverything) return rows;
      for (const { userId, metAtMs } of await store.people(tenant)) {
        if (userId !== user.id) rows.push(personalView(userId, metAtMs, null));
      }
      return rows;
    },
    /**
     * Creates a team owned by the caller.
     * @throws `forbidden` when only admins may create teams; `conflict` for a reserved name
     */
    async create(
      user: Caller,
      { name, icon = null }: { readonly name: string; readonly icon?: string | null | undefined },
    ): Promise<Workspace> {
      await people.record(user);
      if (policy === 'admin' && !isOrgAdmin(user)) {
        throw createError('forbidden', 'Only admins of the organization can create workspaces.');
      }
      await refuseReserved(user, name, undefined);
      const nowMs = clock.nowMs();
      const workspace = { id: newTeamId(ids), name, icon, createdAtMs: nowMs, createdBy: user.id };
      const owner = { userId: user.id, role: 'owner', addedBy: user.id, addedAtMs: nowMs } as const;
      await store.add(tenantOf(user), workspace, owner);
      return teamView(workspace, 'owner');
    },
    /**
     * Changes the name or icon of a team.
     * @throws `forbidden` unless the caller is its owner or an org admin; `conflict` for a reserved name
     */
    async patch(
      user: Caller,
      workspaceId: string,
      changes: { readonly name?: string | undefined; readonly icon?: string | null | undefined },
    ): Promise<Workspace> {
      const { callerRole } = await own(user, workspaceId);
      if (changes.name !== undefined) await refuseReserved(user, changes.name, workspaceId);
      const workspace = await store.patch(tenantOf(user), workspaceId, changes);
      if (!workspace) throw noWorkspace();
      return teamView(workspace, callerRole);
    },
    /**
     * Deletes a team. Its members lose access at once; its files are deleted in the background.
     * @throws `forbidden` as {@link patch}
     */
    async remove(user: Caller, workspaceId: string): Promise<void> {
      await own(user, workspaceId);
      if (!(await store.remove(tenantOf(user), workspaceId, clock.nowMs()))) throw noWorkspace();
      logger.info({ userId: user.id, orgId: user.orgId, workspaceId }, 'a workspace was deleted');
      options.onRemoved();
    },
    /** Returns the members of a workspace. */
    async members(user: Caller, workspaceId: string): Promise<readonly WorkspaceMember[]> {
      if (isPersonalId(workspaceId, user)) {
        const { created_at: added_at } = await personal(user);
        return [{ ...personView(user), role: 'owner', added_by: user.id, added_at }];
      }
      await enterTeam(user, workspaceId);
      return (await store.members(tenantOf(user), workspaceId)).map(memberView);
    },
    /**
     * Returns people of the caller's organization whose name or e-mail address contains `text`, at most `PEOPLE_SHOWN`. Without an
     * organization no one: strangers must not find each other.
     */
    async findPeople(user: Caller, text: string): Promise<readonly Person[]> {
      await people.record(user);
      if (user.orgId === undefined) return [];
      const sought = foldWorkspaceName(text);
      const known = await store.profiles(user.orgId);
      return known
        .filter(({ name = '', email = '' }) => [name, email].some((one) => foldWorkspaceName(one).includes(sought)))
        .slice(0, PEOPLE_SHOWN)
        .map(({ userId, ...profile }) => ({ user_id: userId, ...profile }));
    },
    /** Adds a member or changes their role. @throws as `putMember` in workspace-rules.ts */
    async putMember(
      user: Caller,
      workspaceId: string,
      userId: string,
      role: 'admin' | 'editor',
    ): Promise<WorkspaceMember> {
      let put: StoredMember | undefined;
      await change(user, workspaceId, userId, ({ caller: callerRow, member: row }) => {
        put = putMember({ workspaceId, caller: user, callerRow, userId, row, nowMs: clock.nowMs() }, role);
        // Everyone in the organization is a member of General; only an `excluded` row says otherwise, and it is deleted here.
        return workspaceId === GENERAL_ID ? undefined : put;
      });
      return memberView(put!);
    },
    /** Removes a member. @throws as `removeMember` in workspace-rules.ts */
    removeMember: (user: Caller, workspaceId: string, userId: string): Promise<void> =>
      change(user, workspaceId, userId, ({ caller: callerRow, member: row }) =>
        removeMember({ workspaceId, caller: user, callerRow, userId, row, nowMs: clock.nowMs() }),
      ),
  };
}

/** The maximum number of people that a search returns. */
const PEOPLE_SHOWN = 20;

/** The format of team ids. Other ids aren't looked up. */
const TEAM_ID = /^t-[0-9a-z]{1,64}$/;

function newTeamId(ids: IdSource): string {
  return ids.next('t').replace('_', '-');
}

/** Returns a team as the API shows it; `role` is the caller's role in it. */
function teamView(workspace: StoredWorkspace, role: WorkspaceRole): Workspace {
  const { id, name, icon, createdAtMs, createdBy } = workspace;
  const created_at = new Date(createdAtMs).toISOString();
  const row: Workspace = { id, name, type: 'team', role, created_at, created_by: createdBy };
  return icon === null ? row : { ...row, icon };
}

/** Returns a personal workspace as the API shows it; `role` is null for another person's. */
function personalView(userId: string, metAtMs: number, role: 'owner' | null): Workspace {
  const created_at = new Date(metAtMs).toISOString();
  return { id: personalId(userId), name: 'Personal', type: 'personal', role, created_at, created_by: userId };
}

/** Returns a member of a workspace as the API shows it. */
function memberView({ userId, role, addedBy, addedAtMs, ...profile }: KnownMember): WorkspaceMember {
  return {
    ...personView({ id: userId, ...profile }),
    role,
    added_by: addedBy,
    added_at: new Date(addedAtMs).toISOString(),
  };
}

/** Returns a person as the API shows them. */
export function personView({ id, name, email }: Pick<Caller, 'id' | 'name' | 'email'>): Person {
  return { user_id: id, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
}

/** Returns the id of a user's personal workspace. */
function personalId(userId: string): string {
  return `u-${userId}`;
}

/**
 * Returns true when `workspaceId` names the user's own personal workspace. Headers can't carry characters beyond Latin-1,
 * so clients may send the id percent-encoded.
 */
function isPersonalId(workspaceId: string, user: Caller): boolean {
  return workspaceId === personalId(user.id) || workspaceId === personalId(encodeURIComponent(user.id));
}
