/** Whom a token names. Source: spec agent-api 1, "Claims". */
export interface User {
  /** `sub`. */
  readonly id: string;
  readonly orgId?: string;
  readonly orgSlug?: string;
  readonly orgRole?: string;
  readonly plan?: string;
  readonly features?: readonly string[];
  readonly name?: string;
  readonly email?: string;
  readonly picture?: string;
}

/** Whose data it is: `<org id>:<user id>`, or `<user id>` without an org. Also the `{user}` of public share addresses. */
export type OwnerKey = string & { readonly __kind: 'owner' };

/** The key of everything that `user` owns. Source: spec agent-api 1. */
export function ownerKey(user: Pick<User, 'id' | 'orgId'>): OwnerKey {
  return (user.orgId === undefined ? user.id : `${user.orgId}:${user.id}`) as OwnerKey;
}

/** The owner of what is kept of callers who did not sign in: in memory, as long as their turn runs. */
export const ANONYMOUS = '' as OwnerKey;
