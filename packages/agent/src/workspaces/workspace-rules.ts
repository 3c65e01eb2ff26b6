import type { Caller } from '@berth/agent-core';
import type { StoredMember, StoredRole } from '@berth/agent-store';
import { createError, createValidationError } from '@berth/contract';
import { GENERAL_ID, type WorkspaceRole } from '@berth/contract/agent';

/**
 * Returns true for an admin of the organization, who is admin in each of its teams. Source: docs/contract/agent-api.md §1,
 * "Org admin".
 */
export function isOrgAdmin({ orgId, orgRole }: Caller): boolean {
  return orgId !== undefined && orgRole === 'admin';
}

/** Returns a person's role in a team, given their stored `role`; undefined for a stranger. */
export function roleIn(workspaceId: string, user: Caller, role: StoredRole | undefined): WorkspaceRole | undefined {
  if (role === 'owner') return 'owner';
  if (isOrgAdmin(user)) return 'admin';
  if (role === 'excluded') return undefined;
  return role ?? (workspaceId === GENERAL_ID && user.orgId !== undefined ? 'editor' : undefined);
}

/** Returns true for roles that may change the members. */
export function mayManage(role: WorkspaceRole): boolean {
  return role !== 'editor';
}

/**
 * Returns true for callers who may rename and delete the team. Source: docs/contract/agent-api.md §7: "owner or org admin".
 */
export function mayOwn(role: WorkspaceRole, user: Caller): boolean {
  return role === 'owner' || isOrgAdmin(user);
}

/** A change of a person's role in a team. */
export interface MemberChange {
  readonly workspaceId: string;
  readonly caller: Caller;
  /** The membership row of the caller. */
  readonly callerRow: StoredMember | undefined;
  readonly userId: string;
  /** The membership row of `userId`. */
  readonly row: StoredMember | undefined;
  readonly nowMs: number;
}

/**
 * Returns the new membership row of a person who becomes an admin or editor.
 * @throws `not_found` when the caller isn't a member; `forbidden` when the caller is an editor or the row is the owner's;
 * `invalid` for the role admin in General
 */
export function putMember(change: MemberChange, role: 'admin' | 'editor'): StoredMember {
  const { workspaceId, caller, userId, row, nowMs } = change;
  refuseUnlessManager(change);
  const isKept = row !== undefined && row.role !== 'excluded';
  if (workspaceId === GENERAL_ID && role !== 'editor') {
    const msg = 'in General everyone is an editor, and admins of the organization are admins';
    throw createValidationError([{ loc: ['body', 'role'], msg, type: 'role_invalid' }]);
  }
  return isKept ? { ...row, role } : { userId, role, addedBy: caller.id, addedAtMs: nowMs };
}

/**
 * Returns the membership row that remains when a person is removed or leaves: an `excluded` row in General, undefined in
 * other teams.
 * @throws `not_found` when the caller or the person isn't a member; `forbidden` when the row is the owner's, or when an
 * editor removes another person
 */
export function removeMember(change: MemberChange): StoredMember | undefined {
  const { workspaceId, caller, userId, row, nowMs } = change;
  const isGeneral = workspaceId === GENERAL_ID;
  if (isGeneral || userId !== caller.id || !row) refuseUnlessManager(change);
  else refuseOwner(row);
  if (!isGeneral) {
    if (row) return undefined;
    throw createError('not_found', 'No such member.');
  }
  return row?.role === 'excluded' ? row : { userId, role: 'excluded', addedBy: caller.id, addedAtMs: nowMs };
}

function refuseUnlessManager({ workspaceId, caller, callerRow, row }: MemberChange): void {
  const role = roleIn(workspaceId, caller, callerRow?.role);
  if (!role) throw noWorkspace();
  if (!mayManage(role)) throw createError('forbidden', 'Only its owner and admins can manage members.');
  refuseOwner(row);
}

function refuseOwner(row: StoredMember | undefined): void {
  if (row?.role === 'owner') {
    throw createError(
      'forbidden',
      "The owner can't be changed or removed. The owner can delete the workspace instead.",
    );
  }
}

/** Returns the `not_found` error for a workspace that doesn't exist or that the caller isn't a member of. */
export function noWorkspace(): Error {
  return createError('not_found', 'No such workspace.');
}
