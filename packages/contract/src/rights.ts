// The permissions of keys and people. They are separate from the schemas, because pages import them without validation.

/** The permissions that a key can have. Source: docs/contract/control-plane.md §8. */
export const SCOPES = ['read', 'deploy', 'exec', 'volumes', 'logs', 'billing', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** Returns true when `granted` includes `needed`. `admin` implies every scope; no other scope implies another. */
export function hasScope(granted: readonly Scope[], needed: Scope): boolean {
  return granted.includes('admin') || granted.includes(needed);
}

/** The roles of an account's members. */
export const ROLES = ['owner', 'admin', 'member'] as const;

export type Role = (typeof ROLES)[number];

/** The permissions of a role in an account. */
export interface RoleRights {
  /** The scopes of the member's sessions, and the maximum for the member's keys. */
  readonly scopes: readonly Scope[];
  /** The roles that the member may invite, assign and remove. */
  readonly manages: readonly Role[];
}

/** The permissions of each role. */
export const ROLE_RIGHTS: Readonly<Record<Role, RoleRights>> = {
  owner: { scopes: SCOPES, manages: ROLES },
  admin: { scopes: SCOPES, manages: ['admin', 'member'] },
  member: { scopes: SCOPES.filter((scope) => scope !== 'admin'), manages: [] },
};

/** Returns the effective scopes of a member's key: the granted ones that the member's role has. */
export function scopesWithinRole(granted: readonly Scope[], role: Role): readonly Scope[] {
  const allowed = ROLE_RIGHTS[role].scopes;
  // A role with every scope doesn't reduce the key's scopes.
  return hasScope(allowed, 'admin') ? granted : allowed.filter((scope) => hasScope(granted, scope));
}
