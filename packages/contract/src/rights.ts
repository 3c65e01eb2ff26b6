/** What keys and people may do, without the schemas: pages need it, and no validation. */

/** What a key may be allowed to do. Source: docs/contract/control-plane.md §8. */
export const SCOPES = ['read', 'deploy', 'volumes', 'logs', 'billing', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** True when `granted` allows what `needed` guards: `admin` implies every scope, no other one implies anything. */
export function hasScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes('admin') || granted.includes(needed);
}

export const ROLES = ['owner', 'admin', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** What a person of a role may do in an account. */
export interface RoleRights {
  /** What their sessions may do; their keys may do it too, or less. */
  readonly scopes: readonly Scope[];
  /** The roles that they may invite to, give, take and remove. */
  readonly manages: readonly Role[];
}

/** All there is to say about who may do what. */
export const ROLE_RIGHTS: Readonly<Record<Role, RoleRights>> = {
  owner: { scopes: SCOPES, manages: ROLES },
  admin: { scopes: SCOPES, manages: ['admin', 'member'] },
  member: { scopes: SCOPES.filter((scope) => scope !== 'admin'), manages: [] },
};

/** What a key of `granted` scopes may do in the hands of a person of `role`: no more than the person. */
export function scopesWithinRole(granted: readonly Scope[], role: Role): readonly Scope[] {
  const allowed = ROLE_RIGHTS[role].scopes;
  // A key that may do everything stays as it is in the hands of who may do everything.
  return hasScope(allowed, 'admin') ? granted : allowed.filter((scope) => hasScope(granted, scope));
}
