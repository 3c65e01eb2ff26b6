import { type OwnerKey, ownerKey } from '@berth/agent-store';
import type { WorkspaceRole } from '@berth/contract/agent';
import type { User } from './user.ts';

/** A person, as far as workspaces ask: for the rules, and to show members by name. */
export type Caller = Pick<User, 'id' | 'orgId' | 'orgRole' | 'name' | 'email'>;

/** Resolves the workspace that a request names. */
export interface WorkspaceAccess {
  /**
   * Returns the workspace that the user asks for; the personal one when none is named. Source: docs/contract/agent-api.md §1,
   * "X-Workspace". Asks the database each time, with one query; none for the personal one.
   * @throws `not_found` for a workspace the caller does not belong to: foreign, deleted, malformed and unknown ids alike.
   */
  enter(user: Caller, workspaceId: string | undefined): Promise<ActiveWorkspace>;
}

/** The workspace that a request works in. Source: docs/contract/agent-api.md §1, "X-Workspace". */
export interface ActiveWorkspace {
  /** `u-<user id>`, or `t-…` of a team. */
  readonly id: string;
  readonly type: 'personal' | 'team';
  /** The caller's role. */
  readonly role: WorkspaceRole;
  /** The key of what belongs to the workspace: files, their trash, rows of apps, shared connections. */
  readonly key: OwnerKey;
}

/** Returns the workspace that every person has. Its content is stored under the person's own key, with or without teams. */
export function personalWorkspace(user: Pick<User, 'id' | 'orgId'>): ActiveWorkspace {
  return { id: `u-${user.id}`, type: 'personal', role: 'owner', key: ownerKey(user) };
}

/** Ends what former members of a team still hold open: streams, downloads, turns. */
export interface MembershipWatch {
  /**
   * Calls `onLost` once, at most a minute after the user was removed from the team, got a lesser role, or the team was
   * deleted. Never calls it for a personal workspace. Returns a function that releases the hold; a second call does nothing.
   */
  hold(user: User, workspace: ActiveWorkspace, onLost: () => void): () => void;
  /** Stops checking, and waits for the check in progress. */
  close(): Promise<void>;
}
