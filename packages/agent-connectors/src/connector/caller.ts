import type { ActiveWorkspace, AgentAppContext, User } from '@berth/agent-core';
import { type OwnerKey, ownerKey } from '@berth/agent-store';

/** The user of a connector, in the active workspace. */
export interface ConnectorCaller {
  readonly user: User;
  /**
   * `ownerKey(user)`: owner of the user's personal connections, which are the same in every workspace of the
   * organization.
   */
  readonly person: OwnerKey;
  /** The user within the workspace: owner of the user's switches and tool modes. */
  readonly owner: OwnerKey;
  /** The owner of shared connections is its `key`; in the personal workspace that is `person`. */
  readonly workspace: ActiveWorkspace;
}

/** Returns the caller of a request; only for routes behind `requireUser`. */
export function callerOf(c: AgentAppContext): ConnectorCaller {
  const user = c.get('user');
  if (!user) throw new Error('callerOf needs a route that asks for a user');
  return { user, person: ownerKey(user), owner: c.get('owner'), workspace: c.get('workspace') };
}
