import * as contract from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { createFakeApi } from '../../testing/create-fake-api.ts';
import { GENERAL_ID } from './general.ts';
import { createTeam, rightsIn } from './team.ts';

it.each([
  ['t-1', 'owner', { mayRename: true, mayManageMembers: true, mayLeave: false }],
  ['t-1', 'admin', { mayRename: false, mayManageMembers: true, mayLeave: true }],
  ['t-1', 'editor', { mayRename: false, mayManageMembers: false, mayLeave: true }],
  ['t-shared', 'admin', { mayRename: true, mayManageMembers: true, mayLeave: false }],
  ['t-shared', 'editor', { mayRename: false, mayManageMembers: false, mayLeave: false }],
] as const)('knows what may be done in %s as %s', (id, role, rights) => {
  expect(rightsIn({ id, role })).toEqual(rights);
});

it('names General as the contract does', () => {
  expect(GENERAL_ID).toBe(contract.GENERAL_ID);
});

it('renames, changes members, leaves as oneself', async () => {
  const { api, calls } = createFakeApi({
    'GET /workspace': () => ({ id: 't-1', name: 'Kitchen', role: 'owner' }),
    'GET /workspaces/t-1/members': () => [{ user_id: 'usr/2', role: 'editor' }],
    'PATCH /workspaces/t-1': ({ body }) => ({ id: 't-1', ...(body as object) }),
    'PUT /workspaces/t-1/members/usr%2F2': () => ({}),
    'GET /me': () => ({ user_id: 'me@x' }),
    'DELETE /workspaces/t-1/members/me%40x': () => ({}),
  });
  const team = createTeam(api, 't-1');
  await team.refresh();
  expect(team.state.get()).toMatchObject({ team: { name: 'Kitchen' }, members: [{ user_id: 'usr/2' }], me: 'me@x' });
  await team.change({ name: ' Bar ', icon: '' });
  expect(team.state.get().team).toMatchObject({ name: 'Bar', icon: null });
  await team.put(' usr/2 ', 'admin');
  await team.leave();
  expect(calls.map(({ method, path }) => `${method} ${path}`).at(-1)).toBe('DELETE /workspaces/t-1/members/me%40x');
});

it('says why a team could not be read, and is well after the next reading', async () => {
  let isAway = true;
  const { api } = createFakeApi({
    'GET /workspace': () => {
      if (isAway) throw new Error('not now');
      return { id: 't-1', name: 'Kitchen', role: 'owner' };
    },
    'GET /workspaces/t-1/members': () => [],
    'GET /me': () => ({ user_id: 'me' }),
  });
  const team = createTeam(api, 't-1');
  await team.refresh();
  expect(team.state.get()).toMatchObject({ team: undefined, problem: 'not now' });
  isAway = false;
  await team.refresh();
  expect(team.state.get()).toMatchObject({ team: { name: 'Kitchen' }, problem: undefined, me: 'me' });
});

// Fails when somebody leaves under a user ID that the page guessed.
it('lets nobody leave as somebody it does not know', async () => {
  const { api, calls } = createFakeApi({});
  await expect(createTeam(api, 't-1').leave()).rejects.toThrow('The agent did not say who you are.');
  expect(calls).toEqual([]);
});

it('shows the members that the server has after each change', async () => {
  let members = [{ user_id: 'a', role: 'editor' }];
  const { api } = createFakeApi({
    'GET /workspace': () => ({ id: 't-1', name: 'Kitchen', role: 'owner' }),
    'GET /workspaces/t-1/members': () => members,
    'GET /me': () => ({ user_id: 'me' }),
    'PUT /workspaces/t-1/members/b': ({ body }) => {
      members = [...members, { user_id: 'b', ...(body as { role: string }) }];
    },
    'DELETE /workspaces/t-1/members/a': () => {
      members = members.filter(({ user_id: id }) => id !== 'a');
    },
  });
  const team = createTeam(api, 't-1');
  await team.put('b', 'admin');
  expect(team.state.get().members).toMatchObject([{ user_id: 'a' }, { user_id: 'b', role: 'admin' }]);
  await team.remove('a');
  expect(team.state.get().members).toMatchObject([{ user_id: 'b' }]);
  await expect(team.remove('gone')).rejects.toMatchObject({ status: 404 });
  expect(team.state.get().members).toHaveLength(1);
});

it('keeps an icon, and deletes the team', async () => {
  const { api, calls } = createFakeApi({
    'PATCH /workspaces/t-1': ({ body }) => ({ id: 't-1', ...(body as object) }),
    'DELETE /workspaces/t-1': () => ({}),
  });
  const team = createTeam(api, 't-1');
  await team.change({ name: 'Bar', icon: ' 🍲 ' });
  await team.destroy();
  expect(calls).toMatchObject([
    { method: 'PATCH', body: { name: 'Bar', icon: '🍲' } },
    { method: 'DELETE', path: '/workspaces/t-1' },
  ]);
});
