import type { Workspace, WorkspaceMember } from '@berth/contract/agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

let world: TestAgent;
beforeAll(async () => {
  world = await openTestAgent({ workspaces: 'member' });
});
afterAll(() => world[Symbol.asyncDispose]());

/** Status and body of a call. */
async function ask(token: string, method: string, target: string, body?: unknown, workspace?: string) {
  const answer = await fetch(world.url + target, {
    method,
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(workspace !== undefined && { 'X-Workspace': workspace }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

async function make(token: string, name: string): Promise<Workspace> {
  const { status, body } = await ask(token, 'POST', '/workspaces', { name });
  expect([status, body.name]).toEqual([200, name]);
  return body;
}

const namesOf = async (token: string, query = '') =>
  ((await ask(token, 'GET', `/workspaces${query}`)).body as Workspace[]).map(({ id, role }) => `${id} ${role}`);

it('makes a team, takes people in, and lets them work in it', async () => {
  const team = await make('bob.acme', 'Marketing');
  expect(team).toEqual({
    ...{ id: expect.stringMatching(/^t-[0-9a-z]{26}$/), name: 'Marketing', type: 'team', role: 'owner' },
    ...{ created_by: 'bob', created_at: expect.any(String) },
  });
  const members = `/workspaces/${team.id}/members`;
  expect((await ask('dan.acme', 'GET', members)).status).toBe(404);
  const added = await ask('bob.acme', 'PUT', `${members}/dan`, { role: 'editor' });
  expect(added).toEqual({
    status: 200,
    body: { user_id: 'dan', role: 'editor', added_by: 'bob', added_at: expect.any(String) },
  });
  expect(await namesOf('dan.acme')).toEqual(['u-dan owner', 't-shared editor', `${team.id} editor`]);
  expect(((await ask('dan.acme', 'GET', members)).body as WorkspaceMember[]).map((one) => one.user_id)).toEqual([
    ...['bob', 'dan'],
  ]);
  expect((await ask('dan.acme', 'GET', '/workspace', undefined, team.id)).body).toEqual({ ...team, role: 'editor' });
  await fetch(`${world.url}/files/plan.txt`, {
    method: 'PUT',
    headers: { Authorization: 'Bearer dan.acme', 'X-Workspace': team.id },
    body: 'ours',
  });
  const listed = await ask('bob.acme', 'GET', '/files', undefined, team.id);
  expect(listed.body).toMatchObject([{ path: 'plan.txt' }]);
  expect((await ask('bob.acme', 'GET', '/files')).body).toEqual([]);
});
