import type { WorkspaceRole } from '@berth/contract/agent';

/** An organization's id, or '' for users without one, who share only the teams they are in. */
export type Tenant = string;

/** A team's workspace. Personal workspaces have no row, since every user has one. */
export interface StoredWorkspace {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly createdAtMs: number;
  /** A user id; null for General. */
  readonly createdBy: string | null;
}

/** The role in a row. `excluded`: removed from General, whose other members need no row. */
export type StoredRole = WorkspaceRole | 'excluded';

/** A member of a workspace. */
export interface StoredMember {
  readonly userId: string;
  readonly role: StoredRole;
  /** Id of the user who added the member. */
  readonly addedBy: string;
  readonly addedAtMs: number;
}

/** The name and the e-mail address of a person, as far as their tokens told. */
export interface PersonProfile {
  readonly name?: string;
  readonly email?: string;
}

/** A member with their profile. */
export type KnownMember = StoredMember & PersonProfile;

/** A person with their profile. */
export interface KnownPerson extends PersonProfile {
  readonly userId: string;
}

/** A workspace, and the role of one user in it; undefined without a row. */
export interface RoleIn {
  readonly workspace: StoredWorkspace;
  readonly role: StoredRole | undefined;
}

/**
 * Decides a change from the rows of the caller and of the member. Returns the member's new row; undefined removes it.
 */
export type DecideMember = (rows: {
  readonly caller: StoredMember | undefined;
  readonly member: StoredMember | undefined;
}) => StoredMember | undefined;

/** A user of the agent. */
export interface StoredPerson {
  readonly userId: string;
  readonly metAtMs: number;
}

/** A removed workspace whose data may remain. */
export interface RemovedWorkspace {
  readonly tenant: Tenant;
  readonly id: string;
  readonly removedAtMs: number;
}

/** Teams and their members. Another tenant's workspaces and removed ones count as absent. */
export interface WorkspaceStore {
  /** Records that a user has used the agent: the first time, and the latest profile. Fields without a value are kept. */
  meet(tenant: Tenant, user: KnownPerson, nowMs: number): Promise<void>;
  /** Returns when the user first used the agent. */
  metAtMs(tenant: Tenant, userId: string): Promise<number | undefined>;
  /** Returns all users of a tenant who used the agent or have a chat, in the order of their ids. */
  people(tenant: Tenant): Promise<readonly StoredPerson[]>;
  /** Returns the people of a tenant who have a name or an e-mail address, in the order of their ids. */
  profiles(tenant: Tenant): Promise<readonly KnownPerson[]>;
  /** Adds a workspace, with its owner if it has one; false when its id was ever used in this tenant. */
  add(tenant: Tenant, workspace: StoredWorkspace, owner?: StoredMember): Promise<boolean>;
  /** Returns a workspace and the user's role, in one query. */
  find(tenant: Tenant, id: string, userId: string): Promise<RoleIn | undefined>;
  /** Returns the workspaces in which the user has a row, oldest first. */
  list(tenant: Tenant, userId: string): Promise<readonly RoleIn[]>;
  /** Returns all workspaces with the user's roles, oldest first. */
  listAll(tenant: Tenant, userId: string): Promise<readonly RoleIn[]>;
  /** Changes a workspace. Undefined when there is none. */
  patch(
    tenant: Tenant,
    id: string,
    changes: { readonly name?: string | undefined; readonly icon?: string | null | undefined },
  ): Promise<StoredWorkspace | undefined>;
  /** Returns the members in the order in which they were added. */
  members(tenant: Tenant, id: string): Promise<readonly KnownMember[]>;
  /**
   * Changes a member in one transaction: the rows passed to `decide` stay unchanged until its result is written.
   * Undefined removes the member's row. An exception of `decide` is rethrown, and nothing is changed.
   * @returns false when there is no such workspace.
   */
  changeMember(
    tenant: Tenant,
    id: string,
    who: { readonly callerId: string; readonly userId: string },
    decide: DecideMember,
  ): Promise<boolean>;
  /** Removes a workspace for all members at once; its id stays taken. False when there is none. */
  remove(tenant: Tenant, id: string, nowMs: number): Promise<boolean>;
  /** Returns the removed workspaces of all tenants whose data may remain. */
  removed(): Promise<readonly RemovedWorkspace[]>;
  /** Deletes the rows of every store in a removed workspace. */
  purgeRows(tenant: Tenant, id: string): Promise<void>;
  /** Records that no data of the workspace is left. */
  markPurged(tenant: Tenant, id: string): Promise<void>;
}
