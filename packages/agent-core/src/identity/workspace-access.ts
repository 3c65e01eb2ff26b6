import type { ActiveWorkspace } from './active-workspace.ts';
import type { User } from './user.ts';

/** A person, as far as rules of workspaces ask. */
export type Caller = Pick<User, 'id' | 'orgId' | 'orgRole'>;

/** Resolves the workspace that a request names. */
export interface WorkspaceAccess {
  /**
   * Returns the workspace that the user asks for; the personal one when none is named. Source: docs/contract/agent-api.md §1,
   * "X-Workspace". Asks the database each time, with one query; none for the personal one.
   * @throws `not_found` for a workspace the caller does not belong to: foreign, deleted, malformed and unknown ids alike.
   */
  enter(user: Caller, workspaceId: string | undefined): Promise<ActiveWorkspace>;
}
