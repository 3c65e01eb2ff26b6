import { type OwnerKey, ownerKey } from '@berth/agent-store';
import type { WorkspaceRole } from '@berth/contract/agent';
import type { User } from './user.ts';

/** The workspace that a request works in. Source: docs/contract/agent-api.md §1, "X-Workspace". */
export interface ActiveWorkspace {
  /** `u-<user id>`, or `t-…` of a team. */
  readonly id: string;
  readonly type: 'personal' | 'team';
  /** What the caller is in it. */
  readonly role: WorkspaceRole;
  /** The key of what belongs to the workspace: its files, what was deleted of them, its apps' rows, its connections. */
  readonly key: OwnerKey;
}

/** The workspace that everybody has. What is in it is kept under the person's own key, as it is where there are no teams. */
export function personalWorkspace(user: Pick<User, 'id' | 'orgId'>): ActiveWorkspace {
  return { id: `u-${user.id}`, type: 'personal', role: 'owner', key: ownerKey(user) };
}
