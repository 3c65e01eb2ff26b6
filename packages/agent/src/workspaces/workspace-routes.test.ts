import type { Workspace, WorkspaceMember } from '@berth/contract/agent';
import { createFakeClock } from '@berth/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { type AskWorkspaces, askWorkspaces } from './testing/ask-workspaces.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const GONE = { status: 404, body: { detail: 'No such workspace.' } };

let fixture: TestAgent;
let ask: AskWorkspaces;
beforeAll(async () => {
  fixture = await openTestAgent({ workspaces: 'member', clock: createFakeClock(Date.parse(NOW)) });
  ask = askWorkspaces(fixture.url);
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** Creates a team owned by its creator. */
async function make(token: string, name = 'Team'): Promise<string> {
  const { status, body } = await ask(token, 'POST', '/workspaces', { name });
  expect(status).toBe(200);
  return (body as Workspace).id;
}

const listOf = async (token: string, query = '') =>
  ((await ask(token, 'GET', `/workspaces${query}`)).body as Workspace[]).map(({ id, role }) => `${id} ${role}`);
const put = (token: string, id: string, user: string, role = 'editor') =>
  ask(token, 'PUT', `/workspaces/${id}/members/${encodeURIComponent(user)}`, { role });
const take = (token: string, id: string, user: string) =>
  ask(token, 'DELETE', `/workspaces/${id}/members/${encodeURIComponent(user)}`);
const membersOf = async (token: string, id: string) =>
  ((await ask(token, 'GET', `/workspaces/${id}/members`)).body as WorkspaceMember[]).map(
    ({ user_id, role }) => `${user_id} ${role}`,
  );

describe('a team', () => {
  // Holds the agent to the contract: verifies('workspace.row'), verifies('workspace.active'), verifies('workspace.members'), verifies('workspace.header')
  it('is made, takes people in, and is worked in', async () => {
    const made = await ask('bob.one', 'POST', '/workspaces', { name: ' Marke\u0301ting ', icon: '🚀' });
    const { id } = made.body as Workspace;
    const row = { id, name: 'Markéting', type: 'team', icon: '🚀', created_at: NOW, created_by: 'bob' };
    expect(made).toEqual({ status: 200, body: { ...row, role: 'owner' } });
    expect(id).toMatch(/^t-[0-9a-z]{26}$/);
    expect(await ask('dan.one', 'GET', `/workspaces/${id}/members`)).toEqual(GONE);
    expect(await put('bob.one', id, 'dan')).toEqual({
      status: 200,
      body: { user_id: 'dan', role: 'editor', added_by: 'bob', added_at: NOW },
    });
    expect(await membersOf('dan.one', id)).toEqual(['bob owner', 'dan editor']);
    expect((await ask('dan.one', 'GET', '/workspace', undefined, id)).body).toEqual({ ...row, role: 'editor' });
    expect((await ask('dan.one', 'PUT', '/files/plan.txt', 'ours', id)).status).toBe(200);
    expect((await ask('bob.one', 'GET', '/files', undefined, id)).body).toMatchObject([{ path: 'plan.txt' }]);
    expect((await ask('bob.one', 'GET', '/files')).body).toEqual([]);
    // Routes for workspaces themselves ignore the header.
    expect((await ask('dan.one', 'GET', '/workspaces', undefined, 'nonsense')).status).toBe(200);
  });

  // Holds the agent to the contract: verifies('workspace.roles')
  it('is renamed by its owner and by admins of the organization, and by nobody else', async () => {
    const id = await make('bob.two');
    await put('bob.two', id, 'amy', 'admin');
    await put('bob.two', id, 'dan');
    const rename = (token: string, body: unknown) => ask(token, 'PATCH', `/workspaces/${id}`, body);
    for (const token of ['amy.two', 'dan.two']) expect((await rename(token, { name: 'Mine' })).status).toBe(403);
    for (const token of ['eve.two', 'eve.three.admin', 'eve', 'bob.three', 'bob']) {
      expect(await rename(token, { name: 'Mine' })).toEqual(GONE);
      expect(await ask(token, 'DELETE', `/workspaces/${id}`)).toEqual(GONE);
    }
    for (const token of ['amy.two', 'dan.two']) {
      expect((await ask(token, 'DELETE', `/workspaces/${id}`)).status).toBe(403);
    }
    expect((await rename('bob.two', { icon: '❤️' })).body).toMatchObject({ name: 'Team', icon: '❤️', role: 'owner' });
    expect((await rename('zoe.two.admin', { name: 'Ours', icon: '' })).body).toEqual({
      id,
      name: 'Ours',
      type: 'team',
      role: 'admin',
      created_at: NOW,
      created_by: 'bob',
    });
    expect((await ask('zoe.two.admin', 'DELETE', `/workspaces/${id}`)).body).toEqual({ ok: true });
    expect(await ask('bob.two', 'GET', '/workspace', undefined, id)).toEqual(GONE);
    expect(await ask('bob.two', 'DELETE', `/workspaces/${id}`)).toEqual(GONE);
    expect(await listOf('dan.two')).toEqual(['u-dan owner', 't-shared editor']);
  });

  // Holds the agent to the contract: verifies('workspace.members-put'), verifies('workspace.members-delete'), verifies('workspace.owner')
  it('is left by whom it loses at once, but never by its owner', async () => {
    const id = await make('bob.four');
    await put('bob.four', id, 'dan', 'admin');
    await put('dan.four', id, 'eve');
    for (const token of ['bob.four', 'dan.four', 'eve.four', 'zoe.four.admin']) {
      expect((await put(token, id, 'bob')).status).toBe(403);
      expect((await take(token, id, 'bob')).status).toBe(403);
    }
    expect((await put('eve.four', id, 'eve', 'admin')).status).toBe(403);
    expect((await take('eve.four', id, 'eve')).body).toEqual({ ok: true });
    expect(await take('eve.four', id, 'eve')).toEqual(GONE);
    expect((await take('bob.four', id, 'eve')).body).toEqual({ detail: 'No such member.' });
    await put('zoe.four.admin', id, 'dan', 'editor');
    expect((await put('dan.four', id, 'eve')).status).toBe(403);
    expect((await take('zoe.four.admin', id, 'dan')).status).toBe(200);
    expect(await ask('dan.four', 'GET', '/files', undefined, id)).toEqual(GONE);
    expect(await membersOf('zoe.four.admin', id)).toEqual(['bob owner']);
  });

  it('is of people without an organization too, who are of no other', async () => {
    const id = await make('bob');
    await put('bob', id, 'dan');
    expect(await listOf('dan')).toEqual(['u-dan owner', `${id} editor`]);
    expect(await listOf('dan.five')).toEqual(['u-dan owner', 't-shared editor']);
    expect(await ask('dan.five', 'GET', '/workspace', undefined, id)).toEqual(GONE);
    expect(await ask('dan', 'GET', '/workspace', undefined, 't-shared')).toEqual(GONE);
  });

  it('has members whose ids are whatever a token may name', async () => {
    const id = await make('bob.six');
    const users = ['a%2Fb', 'a/b', 'a:b', 'auth0|42', 'é😀', 'a+b c', '%', '..%2f', 'x'.repeat(255), '__proto__'];
    for (const user of users) {
      expect((await put('bob.six', id, user)).body).toMatchObject({ user_id: user, role: 'editor' });
    }
    expect((await membersOf('bob.six', id)).sort()).toEqual(
      ['bob owner', ...users.map((one) => `${one} editor`)].sort(),
    );
    for (const user of users) expect((await take('bob.six', id, user)).body).toEqual({ ok: true });
    for (const user of ['x'.repeat(1_000), 'a\nb', '\0']) expect((await put('bob.six', id, user)).status).toBe(422);
    for (const raw of ['%ff', '%zz']) {
      const answer = await ask('bob.six', 'PUT', `/workspaces/${id}/members/${raw}`, { role: 'editor' });
      expect([raw, answer.status]).toEqual([raw, 422]);
    }
    expect(await membersOf('bob.six', id)).toEqual(['bob owner']);
  });

  it('is changed by two at once as if one came after the other', async () => {
    const id = await make('bob.seven');
    for (const user of ['amy', 'dan']) await put('bob.seven', id, user, 'admin');
    const answers = await Promise.all([
      ...['amy', 'dan'].flatMap((user) => [put(`${user}.seven`, id, 'eve'), put(`${user}.seven`, id, 'eve', 'admin')]),
      ...['amy', 'dan'].map((user) => take('bob.seven', id, user)),
      ask('bob.seven', 'DELETE', `/workspaces/${id}`),
    ]);
    for (const { status } of answers) expect([200, 404]).toContain(status);
    expect(answers.at(-1)?.status).toBe(200);
    for (const user of ['amy', 'bob', 'eve']) expect(await listOf(`${user}.seven`)).not.toContain(id);
  });
});

describe('X-Workspace', () => {
  // Holds the agent to the contract: verifies('workspace.header'), verifies('workspace.alike')
  it('enters what one has a role in, and tells nothing of all else', async () => {
    const own = await make('bob.ten');
    const foreign = await make('eve.eleven');
    const deleted = await make('bob.ten');
    await ask('bob.ten', 'DELETE', `/workspaces/${deleted}`);
    for (const id of [undefined, 'u-bob', own, 't-shared']) {
      expect([id, (await ask('bob.ten', 'GET', '/workspace', undefined, id)).status]).toEqual([id, 200]);
    }
    const others = [
      ...[foreign, deleted, 't-00000000000000000000000000', 'u-eve', 'u-', 't-', '', 'bob', own.toUpperCase()],
      ...[`${own},${own}`, `${own} x`, 'U-bob', '../u-bob', "t-' or 1=1 --", `t-${'0'.repeat(5_000)}`],
    ];
    for (const id of others) {
      expect([id, await ask('bob.ten', 'GET', '/workspace', undefined, id)]).toEqual([id, GONE]);
    }
    const absent = await fixture.call('bob.ten', 'GET', '/workspace');
    expect(await absent.json()).toMatchObject({ id: 'u-bob', name: 'Personal', type: 'personal', role: 'owner' });
  });

  // Holds the agent to the contract: verifies('workspace.solo')
  it('is passed over by an agent without workspaces, which has no routes for them', async () => {
    await using solo = await openTestAgent();
    const askSolo = askWorkspaces(solo.url);
    expect((await askSolo('bob', 'GET', '/files', undefined, 'nonsense')).status).toBe(200);
    for (const target of ['/workspace', '/workspaces', '/workspaces/t-shared/members']) {
      expect((await askSolo('bob', 'GET', target)).status).toBe(404);
    }
  });
});

describe('the personal workspace', () => {
  it('stays as it is, and is nobody else’s', async () => {
    const row = { id: 'u-bob', name: 'Personal', type: 'personal', role: 'owner', created_at: NOW, created_by: 'bob' };
    expect((await ask('bob.20', 'GET', '/workspace')).body).toEqual(row);
    expect((await ask('bob.20', 'GET', '/workspaces/u-bob/members')).body).toEqual([
      { user_id: 'bob', role: 'owner', added_by: 'bob', added_at: NOW },
    ]);
    const changes = [
      ['PATCH', '/workspaces/u-bob', { name: 'Mine' }],
      ['DELETE', '/workspaces/u-bob', undefined],
      ['PUT', '/workspaces/u-bob/members/eve', { role: 'editor' }],
      ['DELETE', '/workspaces/u-bob/members/bob', undefined],
    ] as const;
    for (const [method, target, body] of changes) {
      expect((await ask('bob.20', method, target, body)).status).toBe(403);
      for (const token of ['eve.20', 'zoe.20.admin', 'eve'])
        expect(await ask(token, method, target, body)).toEqual(GONE);
    }
    expect(await ask('zoe.20.admin', 'GET', '/workspaces/u-bob/members')).toEqual(GONE);
  });
});

describe('people', () => {
  it('are told who they are, with what the token tells', async () => {
    expect((await ask('rita.five.admin~Rita-Lee', 'GET', '/me')).body).toEqual({
      ...{ user_id: 'rita', name: 'Rita Lee', email: 'rita@example.com', org_id: 'five' },
    });
    expect((await ask('sam', 'GET', '/me', undefined, 'nonsense')).body).toEqual({ user_id: 'sam' });
    expect((await ask('bad', 'GET', '/me')).status).toBe(401);
  });

  it('are found by name and address within their organization, and shown by name among the members', async () => {
    for (const token of ['rita.six~Rita-Lee', 'sam.six~Sam-Orr', 'tom.other~Tom-Lee', 'ute~Ute-Lee', 'vic.six']) {
      await ask(token, 'GET', '/workspaces');
    }
    const found = async (token: string, q: string) => (await ask(token, 'GET', `/people?q=${q}`)).body;
    const rita = { user_id: 'rita', name: 'Rita Lee', email: 'rita@example.com' };
    expect(await found('sam.six', 'LEE')).toEqual([rita]);
    expect(await found('sam.six', 'rita%40exam')).toEqual([rita]);
    expect(await found('sam.six', '')).toMatchObject([{ user_id: 'rita' }, { user_id: 'sam' }]);
    // People without an organization don't find each other.
    expect([await found('wes', ''), await found('sam.six', 'Tom')]).toEqual([[], []]);
    const id = await make('sam.six~Sam-Orr');
    await put('sam.six', id, 'rita');
    await put('sam.six', id, 'vic');
    const { body } = await ask('rita.six', 'GET', `/workspaces/${id}/members`);
    expect(body).toMatchObject([rita, { name: 'Sam Orr', email: 'sam@example.com' }, { user_id: 'vic' }]);
    expect((body as WorkspaceMember[])[2]).not.toHaveProperty('name');
    // A new name counts from the next request on.
    await ask('rita.six~Rita-Ray', 'GET', '/workspaces');
    expect(await found('sam.six', 'ray')).toEqual([{ ...rita, name: 'Rita Ray' }]);
  });
});
