import type { Caller } from '@berth/agent-core';

/** Returns the id of a user's personal workspace. */
export function personalId(userId: string): string {
  return `u-${userId}`;
}

/**
 * Returns true when `workspaceId` names the user's own personal workspace. Headers can't carry characters beyond Latin-1,
 * so clients may send the id percent-encoded.
 */
export function isPersonalId(workspaceId: string, user: Caller): boolean {
  return workspaceId === personalId(user.id) || workspaceId === personalId(encodeURIComponent(user.id));
}
