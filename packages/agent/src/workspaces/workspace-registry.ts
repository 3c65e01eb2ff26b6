import type { Workspace, WorkspaceMember } from '@berth/contract/agent';
import type { ActiveWorkspace } from '../define/active-workspace.ts';
import type { Caller } from './workspace-rules.ts';

/**
 * Which workspaces there are, and who is what in them. Every call throws `not_found` for a workspace that the caller is not
 * of: foreign, deleted, malformed and made-up ids are told alike.
 */
export interface WorkspaceRegistry {
  /**
   * The workspace that the user asks for; the personal one when none is named. Source: docs/contract/agent-api.md §1, "X-Workspace".
   * Asks the database each time, with one query; none for the personal one.
   */
  enter(user: Caller, workspaceId: string | undefined): Promise<ActiveWorkspace>;
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
