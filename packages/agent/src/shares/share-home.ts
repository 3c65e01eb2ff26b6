import { type ActiveWorkspace, personalWorkspace, type User } from '@berth/agent-core';
import { memberKey, type OwnerKey, ownerKey, parseOwnerKey, teamKey } from '@berth/agent-store';

/** Where somebody shares from: their personal workspace, or a team that they work in. */
export interface ShareHome {
  /** The `{user}` of the share's address. */
  readonly person: OwnerKey;
  /** The `?ws=` of the share's address; undefined for the personal workspace. */
  readonly teamId: string | undefined;
  /** Whose the share and the chat are. */
  readonly owner: OwnerKey;
  /** Whose the files are. */
  readonly files: OwnerKey;
}

/** Where the user shares from who works in this workspace. */
export function shareHome(user: User, workspace: ActiveWorkspace): ShareHome {
  const person = ownerKey(user);
  return {
    person,
    owner: memberKey(person, workspace),
    files: workspace.key,
    teamId: workspace.type === 'team' ? workspace.id : undefined,
  };
}

/** What the address of a share says; undefined when no share has such an address. */
export function parseShareHome(user: string, workspaceId: string | undefined): ShareHome | undefined {
  // A member's key inside of a team is no person's: else it would open the team's shares past all that is asked of them.
  const person = parseOwnerKey(user);
  if (!person) return undefined;
  const personal = personalWorkspace(person);
  if (workspaceId === undefined || workspaceId === personal.id) return shareHome(person, personal);
  if (!workspaceId.startsWith('t-')) return undefined;
  const key = teamKey(person.orgId, workspaceId);
  return shareHome(person, { id: workspaceId, type: 'team', role: 'editor', key });
}
