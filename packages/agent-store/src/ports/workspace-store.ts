import type { WorkspaceRole } from '@berth/contract/agent';

/** An organisation's id, or '' for people without one, who share nothing but the teams they are in. */
export type Tenant = string;

/** A team's workspace. Personal ones have no row: everybody has one. */
export interface StoredWorkspace {
  readonly id: string;
  readonly name: string;
  readonly icon: string | null;
  readonly createdAtMs: number;
  /** A user id; null of General. */
  readonly createdBy: string | null;
}

/** `excluded`: taken out of General, which everybody else of the organisation is in without a row. */
export type StoredRole = WorkspaceRole | 'excluded';

export interface StoredMember {
  readonly userId: string;
  readonly role: StoredRole;
  /** A user id. */
  readonly addedBy: string;
  readonly addedAtMs: number;
}

/** A workspace, and what the person that is asked for is in it by a row. */
export interface RoleIn {
  readonly workspace: StoredWorkspace;
  readonly role: StoredRole | undefined;
}

/** Told of the rows of who asks and of whom it is about; the row that there is then, undefined for none. */
export type DecideMember = (rows: {
  readonly caller: StoredMember | undefined;
  readonly member: StoredMember | undefined;
}) => StoredMember | undefined;

export interface StoredPerson {
  readonly userId: string;
  readonly metAtMs: number;
}

export interface RemovedWorkspace {
  readonly tenant: Tenant;
  readonly id: string;
  readonly removedAtMs: number;
}

/** Teams and who is in them. What another tenant has, and what was removed, is as if it were not there. */
export interface WorkspaceStore {
  /** The person was here. Once is enough; the first time counts. */
  meet(tenant: Tenant, userId: string, nowMs: number): Promise<void>;
  /** When the person was here first. */
  metAtMs(tenant: Tenant, userId: string): Promise<number | undefined>;
  /** Everybody of an organisation who was here or has a chat, in the order of their ids. */
  people(tenant: Tenant): Promise<readonly StoredPerson[]>;
  /** Adds a workspace with its owner, if it has one; false when its id was ever given in this tenant. */
  add(tenant: Tenant, workspace: StoredWorkspace, owner?: StoredMember): Promise<boolean>;
  /** One query. */
  find(tenant: Tenant, id: string, userId: string): Promise<RoleIn | undefined>;
  /** Those that the person has a row in, oldest first. */
  list(tenant: Tenant, userId: string): Promise<readonly RoleIn[]>;
  /** All, oldest first, with what the person is in them. */
  listAll(tenant: Tenant, userId: string): Promise<readonly RoleIn[]>;
  /** Undefined when there is none. */
  patch(
    tenant: Tenant,
    id: string,
    changes: { readonly name?: string | undefined; readonly icon?: string | null | undefined },
  ): Promise<StoredWorkspace | undefined>;
  /** In the order in which they came. */
  members(tenant: Tenant, id: string): Promise<readonly StoredMember[]>;
  /**
   * Changes what one person is: `decide` is told what the caller and the person are, and both are so still when its answer
   * is written; undefined takes the row away. What it throws is thrown, and nothing is changed.
   * @returns false when there is no such workspace.
   */
  changeMember(
    tenant: Tenant,
    id: string,
    who: { readonly callerId: string; readonly userId: string },
    decide: DecideMember,
  ): Promise<boolean>;
  /** Takes it from everybody at once; its id stays taken. False when there is none. */
  remove(tenant: Tenant, id: string, nowMs: number): Promise<boolean>;
  /** Of all tenants: those removed whose data may still be there. */
  removed(): Promise<readonly RemovedWorkspace[]>;
  /** Takes away all rows that people kept in it, of every store. It must be removed. */
  purgeRows(tenant: Tenant, id: string): Promise<void>;
  /** Nothing of it is left. */
  markPurged(tenant: Tenant, id: string): Promise<void>;
}
