import { z } from '@hono/zod-openapi';
import { hasScope, SCOPES, type Scope } from './scope.ts';

export const ROLES = ['owner', 'admin', 'member'] as const;

export const roleSchema = z.enum(ROLES).openapi('Role', {
  description:
    'owner: everything. admin: everything but what concerns owners. member: everything but keys, members and the audit log.',
});

export type Role = z.infer<typeof roleSchema>;

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
