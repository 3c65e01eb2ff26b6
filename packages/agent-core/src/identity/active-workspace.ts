import { type OwnerKey, ownerKey } from '@berth/agent-store';
import type { WorkspaceRole } from '@berth/contract/agent';
import type { User } from './user.ts';

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
