import type { StoredMember, StoredWorkspace } from '@berth/agent-store';
import type { Workspace, WorkspaceMember, WorkspaceRole } from '@berth/contract/agent';
import { personalId } from './personal-id.ts';

/** `role`: what the caller is in it. */
export function teamView(workspace: StoredWorkspace, role: WorkspaceRole): Workspace {
  const { id, name, icon, createdAtMs, createdBy } = workspace;
  const created_at = new Date(createdAtMs).toISOString();
  const row: Workspace = { id, name, type: 'team', role, created_at, created_by: createdBy };
  return icon === null ? row : { ...row, icon };
}

export function personalView(userId: string, metAtMs: number, role: 'owner' | null): Workspace {
  const created_at = new Date(metAtMs).toISOString();
  return { id: personalId(userId), name: 'Personal', type: 'personal', role, created_at, created_by: userId };
}

export function memberView({ userId, role, addedBy, addedAtMs }: StoredMember): WorkspaceMember {
  return { user_id: userId, role, added_by: addedBy, added_at: new Date(addedAtMs).toISOString() };
}
