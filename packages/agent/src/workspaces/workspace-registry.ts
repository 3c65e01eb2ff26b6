import type { ActiveWorkspace } from '../define/active-workspace.ts';
import type { User } from '../define/user.ts';

/** Which workspaces there are, and who is what in them. */
export interface WorkspaceRegistry {
  /**
   * The workspace that the user asks for; the personal one when none is named. Source: spec agent-api 1, "X-Workspace".
   * @throws `not_found` for whatever else: foreign, deleted, malformed and made-up ids are told alike.
   */
  enter(user: User, workspaceId: string | undefined): Promise<ActiveWorkspace>;
}
