import { type ActiveWorkspace, personalWorkspace, type User } from '@berth/agent-core';
import { memberKey, type OwnerKey, ownerKey, parseMemberKey, parseOwnerKey, teamKey } from '@berth/agent-store';

/** The place of a share: a person, and their personal workspace or a team they are in. */
export interface ShareHome {
  readonly person: OwnerKey;
  /** The `?ws=` of the share's address; undefined for the personal workspace. */
  readonly teamId: string | undefined;
  /** Key of the owner of the share and its chat. */
  readonly owner: OwnerKey;
  /** Key of the owner of the files. */
  readonly files: OwnerKey;
}

/** Returns the share home of a user in a workspace. */
export function shareHome(user: User, workspace: ActiveWorkspace): ShareHome {
  const person = ownerKey(user);
  return {
    person,
    owner: memberKey(person, workspace),
    files: workspace.key,
    teamId: workspace.type === 'team' ? workspace.id : undefined,
  };
}

/** Returns the home of a share by the owner of its row. */
export function shareHomeOf(owner: OwnerKey): ShareHome | undefined {
  const member = parseMemberKey(owner);
  return member && parseShareHome(member.person, member.teamId);
}

/**
 * Parses the `{user}` and `?ws=` of a share's address as earlier versions made them, with the sharer's key; undefined when no share
 * can have such an address.
 */
export function parseShareHome(user: string, workspaceId: string | undefined): ShareHome | undefined {
  // Only a person's key is accepted. A member's key within a team would bypass the check of the membership.
  const person = parseOwnerKey(user);
  if (!person) return undefined;
  const personal = personalWorkspace(person);
  if (workspaceId === undefined || workspaceId === personal.id) return shareHome(person, personal);
  if (!workspaceId.startsWith('t-')) return undefined;
  const key = teamKey(person.orgId, workspaceId);
  return shareHome(person, { id: workspaceId, type: 'team', role: 'editor', key });
}
