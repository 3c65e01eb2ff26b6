import type { User, WorkspaceAccess } from '@berth/agent-core';
import type { WorkspaceRole } from '@berth/contract/agent';
import { BerthError } from '@berth/kit';

/** Returns the user's current role in the workspace; undefined when they aren't a member or it doesn't exist. */
export async function findRole(
  registry: WorkspaceAccess,
  user: User,
  workspaceId: string,
): Promise<WorkspaceRole | undefined> {
  try {
    return (await registry.enter(user, workspaceId)).role;
  } catch (error) {
    if (BerthError.is(error) && error.code === 'not_found') return undefined;
    throw error;
  }
}
