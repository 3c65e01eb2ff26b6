import type { Caller } from '@berth/agent-core';

export function personalId(userId: string): string {
  return `u-${userId}`;
}

/**
 * Whether it names the user's own personal workspace. A header has no letters beyond Latin: an id with others is sent
 * percent-encoded.
 */
export function isPersonalId(workspaceId: string, user: Caller): boolean {
  return workspaceId === personalId(user.id) || workspaceId === personalId(encodeURIComponent(user.id));
}
