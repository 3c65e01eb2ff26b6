import type { Caller, WorkspaceAccess } from '@berth/agent-core';
import type { Workspace, WorkspaceMember } from '@berth/contract/agent';

/**
 * The workspaces of an agent and the roles of their members. Every call throws the same `not_found` for a workspace that
 * the caller isn't a member of, that was deleted, or whose id is unknown or malformed.
 */
export interface WorkspaceRegistry extends WorkspaceAccess {
  /** Returns one workspace. */
  get(user: Caller, workspaceId: string): Promise<Workspace>;
  /**
   * Returns the caller's workspaces: the personal one, General, then the other teams.
   * @param options `isAll` adds all other workspaces of the organization for its admins; ignored for other callers
   */
  list(user: Caller, options?: { readonly isAll?: boolean }): Promise<readonly Workspace[]>;
  /**
   * Creates a team owned by the caller.
   * @throws `forbidden` when only admins may create teams; `conflict` for a reserved name
   */
  create(
    user: Caller,
    workspace: { readonly name: string; readonly icon?: string | null | undefined },
  ): Promise<Workspace>;
  /**
   * Changes the name or icon of a team.
   * @throws `forbidden` unless the caller is its owner or an org admin; `conflict` for a reserved name
   */
  patch(
    user: Caller,
    workspaceId: string,
    changes: { readonly name?: string | undefined; readonly icon?: string | null | undefined },
  ): Promise<Workspace>;
  /**
   * Deletes a team. Its members lose access at once; its files are deleted in the background.
   * @throws `forbidden` as {@link patch}
   */
  remove(user: Caller, workspaceId: string): Promise<void>;
  /** Returns the members of a workspace. */
  members(user: Caller, workspaceId: string): Promise<readonly WorkspaceMember[]>;
  /** Adds a member or changes their role. @throws as `putMember` in workspace-rules.ts */
  putMember(user: Caller, workspaceId: string, userId: string, role: 'admin' | 'editor'): Promise<WorkspaceMember>;
  /** Removes a member. @throws as `removeMember` in workspace-rules.ts */
  removeMember(user: Caller, workspaceId: string, userId: string): Promise<void>;
}
