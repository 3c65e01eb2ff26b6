import type { StoredMember, StoredWorkspace } from '@berth/agent-store';
import type { Workspace, WorkspaceMember, WorkspaceRole } from '@berth/contract/agent';
import { personalId } from './personal-id.ts';

/** Returns a team as the API shows it; `role` is the caller's role in it. */
export function teamView(workspace: StoredWorkspace, role: WorkspaceRole): Workspace {
  const { id, name, icon, createdAtMs, createdBy } = workspace;
  const created_at = new Date(createdAtMs).toISOString();
  const row: Workspace = { id, name, type: 'team', role, created_at, created_by: createdBy };
  return icon === null ? row : { ...row, icon };
}

/** Returns a personal workspace as the API shows it; `role` is null for another person's. */
export function personalView(userId: string, metAtMs: number, role: 'owner' | null): Workspace {
  const created_at = new Date(metAtMs).toISOString();
  return { id: personalId(userId), name: 'Personal', type: 'personal', role, created_at, created_by: userId };
}

/** Returns a member of a workspace as the API shows it. */
export function memberView({ userId, role, addedBy, addedAtMs }: StoredMember): WorkspaceMember {
  return { user_id: userId, role, added_by: addedBy, added_at: new Date(addedAtMs).toISOString() };
}
