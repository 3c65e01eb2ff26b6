import type { Caller, WorkspaceAccess } from '@berth/agent-core';
import type { Workspace, WorkspaceMember } from '@berth/contract/agent';

/**
 * Which workspaces there are, and who is what in them. Every call throws `not_found` for a workspace that the caller is not
 * of: foreign, deleted, malformed and made-up ids are told alike.
 */
export interface WorkspaceRegistry extends WorkspaceAccess {
  get(user: Caller, workspaceId: string): Promise<Workspace>;
  /** The personal one first, General next. `isAll`: with all others of the organisation, for its admins; ignored for others. */
  list(user: Caller, options?: { readonly isAll?: boolean }): Promise<readonly Workspace[]>;
  /** @throws `forbidden` when only admins may, `conflict` for a reserved name. */
  create(
    user: Caller,
    workspace: { readonly name: string; readonly icon?: string | null | undefined },
  ): Promise<Workspace>;
  /** @throws `forbidden` for who is neither its owner nor admin of the organisation, `conflict` for a reserved name. */
  patch(
    user: Caller,
    workspaceId: string,
    changes: { readonly name?: string | undefined; readonly icon?: string | null | undefined },
  ): Promise<Workspace>;
  /** Takes it from everybody at once; its files go soon after. @throws `forbidden` as {@link patch}. */
  remove(user: Caller, workspaceId: string): Promise<void>;
  members(user: Caller, workspaceId: string): Promise<readonly WorkspaceMember[]>;
  /** @throws as `putMember` of the rules. */
  putMember(user: Caller, workspaceId: string, userId: string, role: 'admin' | 'editor'): Promise<WorkspaceMember>;
  /** @throws as `removeMember` of the rules. */
  removeMember(user: Caller, workspaceId: string, userId: string): Promise<void>;
}
