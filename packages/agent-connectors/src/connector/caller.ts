import type { ActiveWorkspace, User } from '@berth/agent-core';
import type { OwnerKey } from '@berth/agent-store';

/** Who uses connectors, and where. */
export interface ConnectorCaller {
  readonly user: User;
  /** `ownerKey(user)`: whose own connections; they follow the person into every workspace of the org. */
  readonly person: OwnerKey;
  /** The person inside of the workspace: whose switches and modes of tools. */
  readonly owner: OwnerKey;
  /** Its `key` has the connections that are shared. In the personal workspace it is `person`. */
  readonly workspace: ActiveWorkspace;
}
