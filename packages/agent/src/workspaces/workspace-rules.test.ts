import type { Caller } from '@berth/agent-core';
import type { StoredMember, StoredRole } from '@berth/agent-store';
import { GENERAL_ID } from '@berth/contract/agent';
import { BerthError } from '@berth/kit';
import { expect, it } from 'vitest';
import {
  isOrgAdmin,
  type MemberChange,
  mayManage,
  mayOwn,
  putMember,
  removeMember,
  roleIn,
} from './workspace-rules.ts';

const NOW_MS = 1_000;
const TEAM = 't-1';
const row = (userId: string, role: StoredRole): StoredMember => ({ userId, role, addedBy: 'ann', addedAtMs: 1 });

/** Callers: the role in their row of the team, and whether they are an org admin. */
const CALLERS = {
  owner: ['owner', false],
  'owner, org admin': ['owner', true],
  admin: ['admin', false],
  editor: ['editor', false],
  'editor, org admin': ['editor', true],
  'org admin': [undefined, true],
  stranger: [undefined, false],
} as const satisfies Record<string, readonly [StoredRole | undefined, boolean]>;
type CallerName = keyof typeof CALLERS;

const callerOf = (name: CallerName): Caller => ({
  id: 'me',
  orgId: 'acme',
  ...(CALLERS[name][1] && { orgRole: 'admin' }),
});

// Holds the agent to the contract: verifies('workspace.roles'), verifies('workspace.owner')
it.each<[CallerName, string | undefined, boolean, boolean]>([
  // Caller, role in the team, may manage members, may rename and delete.
  ['owner', 'owner', true, true],
  ['owner, org admin', 'owner', true, true],
  ['admin', 'admin', true, false],
  ['editor', 'editor', false, false],
  ['editor, org admin', 'admin', true, true],
  ['org admin', 'admin', true, true],
  ['stranger', undefined, false, false],
])('%s is %s, manages %s, owns %s', (name, expected, manages, owns) => {
  const role = roleIn(TEAM, callerOf(name), CALLERS[name][0]);
  expect(role).toBe(expected);
  expect([role !== undefined && mayManage(role), role !== undefined && mayOwn(role, callerOf(name))]).toEqual([
    ...[manages, owns],
  ]);
});

it('takes for an admin of the organization only who is of one', () => {
  expect(isOrgAdmin({ id: 'me', orgRole: 'admin' })).toBe(false);
  for (const orgRole of ['Admin', 'owner', 'org:admin', '']) {
    expect(isOrgAdmin({ id: 'me', orgId: 'acme', orgRole })).toBe(false);
  }
});

it.each<[string, Caller, StoredRole | undefined, string | undefined]>([
  ['everybody of the organization', { id: 'me', orgId: 'acme' }, undefined, 'editor'],
  ['its admins', { id: 'me', orgId: 'acme', orgRole: 'admin' }, undefined, 'admin'],
  ['who was taken out', { id: 'me', orgId: 'acme' }, 'excluded', undefined],
  ['an admin who was taken out', { id: 'me', orgId: 'acme', orgRole: 'admin' }, 'excluded', 'admin'],
  ['people without an organization', { id: 'me' }, undefined, undefined],
])('General: %s', (_who, user, role, expected) => {
  expect(roleIn(GENERAL_ID, user, role)).toBe(expected);
});

/** Returns the result of a change: the error code, or the resulting row. */
function outcomeOf(
  change: (change: MemberChange) => StoredMember | undefined,
  caller: CallerName,
  target: StoredRole | 'none' | 'oneself',
  workspaceId = TEAM,
): string {
  const [role] = CALLERS[caller];
  const callerRow = role && row('me', role);
  const isSelf = target === 'oneself';
  const found = isSelf ? callerRow : target === 'none' ? undefined : row('you', target);
  const who = { caller: callerOf(caller), callerRow, userId: isSelf ? 'me' : 'you', row: found, workspaceId };
  try {
    return change({ ...who, nowMs: NOW_MS })?.role ?? 'gone';
  } catch (error) {
    if (BerthError.is(error)) return error.code;
    throw error;
  }
}

type Outcomes = readonly [CallerName, none: string, editor: string, admin: string, owner: string, oneself: string];

// Holds the agent to the contract: verifies('workspace.members-put')
it.each<Outcomes>([
  ['owner', 'admin', 'admin', 'admin', 'forbidden', 'forbidden'],
  ['admin', 'admin', 'admin', 'admin', 'forbidden', 'admin'],
  ['editor', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'forbidden'],
  ['editor, org admin', 'admin', 'admin', 'admin', 'forbidden', 'admin'],
  ['org admin', 'admin', 'admin', 'admin', 'forbidden', 'admin'],
  ['stranger', 'not_found', 'not_found', 'not_found', 'not_found', 'not_found'],
])('%s makes an admin of nobody yet, an editor, an admin, the owner, themselves', (caller, ...outcomes) => {
  const targets = ['none', 'editor', 'admin', 'owner', 'oneself'] as const;
  const put = (change: MemberChange) => putMember(change, 'admin');
  expect(targets.map((target) => outcomeOf(put, caller, target))).toEqual(outcomes);
});

// Holds the agent to the contract: verifies('workspace.members-delete')
it.each<Outcomes>([
  ['owner', 'not_found', 'gone', 'gone', 'forbidden', 'forbidden'],
  ['admin', 'not_found', 'gone', 'gone', 'forbidden', 'gone'],
  ['editor', 'forbidden', 'forbidden', 'forbidden', 'forbidden', 'gone'],
  ['editor, org admin', 'not_found', 'gone', 'gone', 'forbidden', 'gone'],
  ['org admin', 'not_found', 'gone', 'gone', 'forbidden', 'not_found'],
  ['stranger', 'not_found', 'not_found', 'not_found', 'not_found', 'not_found'],
])('%s takes out nobody, an editor, an admin, the owner, themselves', (caller, ...outcomes) => {
  const targets = ['none', 'editor', 'admin', 'owner', 'oneself'] as const;
  expect(targets.map((target) => outcomeOf(removeMember, caller, target))).toEqual(outcomes);
});

it('General: admins of the organization take people out and back in; nobody is made an admin, nobody leaves', () => {
  const remove = (caller: CallerName, target: StoredRole | 'none' | 'oneself') =>
    outcomeOf(removeMember, caller, target, GENERAL_ID);
  const put = (caller: CallerName, role: 'admin' | 'editor', target: StoredRole | 'none') =>
    outcomeOf((change) => putMember(change, role), caller, target, GENERAL_ID);
  expect(['none', 'excluded', 'oneself'].map((one) => remove('org admin', one as StoredRole))).toEqual([
    ...['excluded', 'excluded', 'excluded'],
  ]);
  expect([remove('stranger', 'none'), remove('stranger', 'oneself')]).toEqual(['forbidden', 'forbidden']);
  expect([put('org admin', 'editor', 'excluded'), put('org admin', 'editor', 'none')]).toEqual(['editor', 'editor']);
  expect([put('org admin', 'admin', 'none'), put('stranger', 'editor', 'excluded')]).toEqual(['invalid', 'forbidden']);
});

it('keeps who let somebody in and when, through a change of role', () => {
  const change = { workspaceId: TEAM, caller: callerOf('owner'), callerRow: row('me', 'owner'), nowMs: NOW_MS };
  expect(putMember({ ...change, userId: 'you', row: row('you', 'editor') }, 'admin')).toEqual(row('you', 'admin'));
  const added = { userId: 'you', role: 'admin', addedBy: 'me', addedAtMs: NOW_MS };
  expect(putMember({ ...change, userId: 'you', row: undefined }, 'admin')).toEqual(added);
});
