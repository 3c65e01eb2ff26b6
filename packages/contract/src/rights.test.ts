import { expect, test } from 'vitest';
import { hasScope, ROLE_RIGHTS, ROLES, SCOPES, scopesWithinRole } from './rights.ts';

// Fails when a scope other than admin implies one: a key for reading could deploy.
test('admin has every scope, every other scope only itself', () => {
  for (const needed of SCOPES) {
    expect([needed, hasScope(['admin'], needed), hasScope([], needed)]).toEqual([needed, true, false]);
    for (const granted of SCOPES.filter((scope) => scope !== 'admin')) {
      expect([granted, needed, hasScope([granted], needed)]).toEqual([granted, needed, granted === needed]);
    }
  }
});

// Fails when a key keeps what its maker's role has lost: a demoted admin's key would still make keys.
test('a key never has more than it was granted, nor more than its maker’s role', () => {
  const memberScopes = ['read', 'deploy', 'exec', 'volumes', 'logs', 'billing'];
  expect(scopesWithinRole(['admin'], 'member')).toEqual(memberScopes);
  expect(scopesWithinRole(['logs', 'admin', 'read'], 'member')).toEqual(memberScopes);
  expect(scopesWithinRole(['logs', 'read'], 'member')).toEqual(['read', 'logs']);
  for (const role of ROLES) {
    expect(scopesWithinRole([], role)).toEqual([]);
    expect([role, scopesWithinRole(['read'], role)]).toEqual([role, ['read']]);
  }
  for (const role of ['owner', 'admin'] as const) expect(scopesWithinRole(['admin'], role)).toEqual(['admin']);
});

// Fails when a role may make others that stand above it.
test('nobody manages a role above their own, and members manage nobody', () => {
  for (const [rank, role] of ROLES.entries()) {
    for (const managed of ROLE_RIGHTS[role].manages) expect(ROLES.indexOf(managed)).toBeGreaterThanOrEqual(rank);
  }
  expect(ROLE_RIGHTS.member.manages).toEqual([]);
});
