/** A person, and the organization they act for. */
export interface PersonId {
  readonly id: string;
  readonly orgId?: string;
}

/** The owner of stored data: `<org id>:<user id>`, or `<user id>` without an org. Also the `{user}` of public share addresses. */
export type OwnerKey = string & { readonly __kind: 'owner' };

/**
 * Returns the key of everything that `user` owns. Source: docs/contract/agent-api.md §1. A colon inside an id is written `%3A`;
 * otherwise the person `a:b` would be the member `b` of the org `a`.
 */
export function ownerKey(user: PersonId): OwnerKey {
  const id = escapeColons(user.id);
  return (user.orgId === undefined ? id : `${escapeColons(user.orgId)}:${id}`) as OwnerKey;
}

/** Returns the person that a key belongs to; undefined for the key of a team, and for that of a member inside a team. */
export function parseOwnerKey(key: string): PersonId | undefined {
  const parts = key.split(':').map((part) => part.replaceAll('%3A', ':').replaceAll('%25', '%'));
  const [id, orgId] = parts.reverse();
  if (!id || orgId === '' || parts.length > 2) return undefined;
  const user = { id, ...(orgId !== undefined && { orgId }) };
  return ownerKey(user) === key ? user : undefined;
}

/**
 * Returns the key of what a team's workspace keeps. Source: docs/contract/agent-api.md §1: "Files belong to the workspace". No
 * person's key begins with a colon.
 */
export function teamKey(orgId: string | undefined, workspaceId: string): OwnerKey {
  return `::${escapeColons(orgId ?? '')}::${escapeColons(workspaceId)}` as OwnerKey;
}

/**
 * Returns the key of what a person has inside a workspace: chats, shares, tool settings. In the personal workspace it is the
 * person's own key. Source: docs/contract/agent-api.md §1.
 */
export function memberKey(
  owner: OwnerKey,
  workspace: { readonly id: string; readonly type: 'personal' | 'team' },
): OwnerKey {
  return workspace.type === 'personal' ? owner : (`${owner}::${escapeColons(workspace.id)}` as OwnerKey);
}

/**
 * Returns the person and the team of a {@link memberKey}; without a team for the personal workspace. Undefined for the key of a team
 * itself.
 */
export function parseMemberKey(key: OwnerKey): { readonly person: OwnerKey; readonly teamId?: string } | undefined {
  const [person = '', team, ...rest] = key.split('::');
  if (!parseOwnerKey(person) || rest.length > 0) return undefined;
  if (team === undefined) return { person: person as OwnerKey };
  return { person: person as OwnerKey, teamId: team.replaceAll('%3A', ':').replaceAll('%25', '%') };
}

/** Returns the suffix of the keys of all members of a workspace. */
export function memberKeySuffix(workspaceId: string): string {
  return `::${escapeColons(workspaceId)}`;
}

/** Returns the prefix of the keys of all people of an organization; '' for those without one. */
export function ownerKeyPrefix(orgId: string): string {
  return orgId === '' ? '' : `${escapeColons(orgId)}:`;
}

/** Returns the exclusive upper bound of all keys with an organization's prefix, by bytes: `;` follows the colon. */
export function endOfPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)};`;
}

function escapeColons(id: string): string {
  return id.replaceAll(/[%:]/g, (letter) => (letter === ':' ? '%3A' : '%25'));
}

/** The owner of the data of callers who did not sign in: kept in memory while their turn runs. */
export const ANONYMOUS = '' as OwnerKey;
