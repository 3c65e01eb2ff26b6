/** Whom a key is made of: a person, and the organization they act for. */
export interface PersonId {
  readonly id: string;
  readonly orgId?: string;
}

/** Whose data it is: `<org id>:<user id>`, or `<user id>` without an org. Also the `{user}` of public share addresses. */
export type OwnerKey = string & { readonly __kind: 'owner' };

/**
 * The key of everything that `user` owns. Source: docs/contract/agent-api.md §1. A colon inside of an id is written `%3A`: else the person
 * `a:b` would be the member `b` of the org `a`.
 */
export function ownerKey(user: PersonId): OwnerKey {
  const id = escapeColons(user.id);
  return (user.orgId === undefined ? id : `${escapeColons(user.orgId)}:${id}`) as OwnerKey;
}

/** The person that a key is of; undefined when it is nobody's: a team's, or that of a member inside of one. */
export function parseOwnerKey(key: string): PersonId | undefined {
  const parts = key.split(':').map((part) => part.replaceAll('%3A', ':').replaceAll('%25', '%'));
  const [id, orgId] = parts.reverse();
  if (!id || orgId === '' || parts.length > 2) return undefined;
  const user = { id, ...(orgId !== undefined && { orgId }) };
  return ownerKey(user) === key ? user : undefined;
}

/**
 * The key of what a team's workspace keeps. Source: docs/contract/agent-api.md §1: "Files belong to the workspace". No person's key begins
 * with a colon.
 */
export function teamKey(orgId: string | undefined, workspaceId: string): OwnerKey {
  return `::${escapeColons(orgId ?? '')}::${escapeColons(workspaceId)}` as OwnerKey;
}

/**
 * The key of what a person has inside of a workspace: chats, shares, tool settings. In the personal one it is the person's
 * own key. Source: docs/contract/agent-api.md §1.
 */
export function memberKey(
  owner: OwnerKey,
  workspace: { readonly id: string; readonly type: 'personal' | 'team' },
): OwnerKey {
  return workspace.type === 'personal' ? owner : (`${owner}::${escapeColons(workspace.id)}` as OwnerKey);
}

/** What the keys of all members of a workspace end with. */
export function memberKeySuffix(workspaceId: string): string {
  return `::${escapeColons(workspaceId)}`;
}

/** What the keys of all people of an organisation begin with; '' for those without one. */
export function ownerKeyPrefix(orgId: string): string {
  return orgId === '' ? '' : `${escapeColons(orgId)}:`;
}

/** What is above all keys that begin with an organisation's prefix, by bytes: `;` comes after the colon at its end. */
export function endOfPrefix(prefix: string): string {
  return `${prefix.slice(0, -1)};`;
}

function escapeColons(id: string): string {
  return id.replaceAll(/[%:]/g, (letter) => (letter === ':' ? '%3A' : '%25'));
}

/** The owner of what is kept of callers who did not sign in: in memory, as long as their turn runs. */
export const ANONYMOUS = '' as OwnerKey;
