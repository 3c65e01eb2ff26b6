import type { Workspace } from '@berth/contract/agent';
import { createFakeClock, createRecordingLogger } from '@berth/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';
import { type AskWorkspaces, askWorkspaces } from './testing/ask-workspaces.ts';

const NOW = '2026-01-01T00:00:00.000Z';
const GENERAL = { id: 't-shared', name: 'General', type: 'team', created_at: NOW, created_by: null };

const log: string[] = [];
let fixture: TestAgent;
let ask: AskWorkspaces;
beforeAll(async () => {
  fixture = await openTestAgent({
    workspaces: 'admin',
    clock: createFakeClock(Date.parse(NOW)),
    logger: createRecordingLogger(log),
  });
  ask = askWorkspaces(fixture.url);
});
afterAll(() => fixture[Symbol.asyncDispose]());

const enter = async (token: string) => (await ask(token, 'GET', '/workspace', undefined, 't-shared')).status;
const member = (token: string, method: 'PUT' | 'DELETE', user: string, role = 'editor') =>
  ask(token, method, `/workspaces/t-shared/members/${user}`, method === 'PUT' ? { role } : undefined);
const idsOf = async (token: string, query = '') =>
  ((await ask(token, 'GET', `/workspaces${query}`)).body as Workspace[]).map(({ id }) => id);

// Holds the agent to the contract: verifies('workspace.general'), verifies('workspace.list')
it('is there at first sight for everybody of an organization, and of it alone', async () => {
  const first = await ask('dan.one', 'GET', '/workspace', undefined, 't-shared');
  expect(first).toEqual({ status: 200, body: { ...GENERAL, role: 'editor' } });
  expect((await ask('zoe.one.admin', 'GET', '/workspaces')).body).toEqual([
    ...[{ id: 'u-zoe', name: 'Personal', type: 'personal', role: 'owner', created_at: NOW, created_by: 'zoe' }],
    { ...GENERAL, role: 'admin' },
  ]);
  await ask('dan.one', 'PUT', '/files/a.txt', 'of one', 't-shared');
  expect((await ask('eve.one', 'GET', '/files', undefined, 't-shared')).body).toMatchObject([{ path: 'a.txt' }]);
  expect((await ask('eve.two', 'GET', '/files', undefined, 't-shared')).body).toEqual([]);
  expect([await enter('eve'), await enter('eve.two')]).toEqual([404, 200]);
  expect(
    log.filter((line) => line.includes('"workspaceId":"t-shared"') && line.includes('"userId":"dan"')),
  ).not.toEqual([]);
});

it('is made once, whoever of many comes first', async () => {
  const many = Array.from({ length: 20 }, (_, index) => idsOf(`p${index}.crowd`));
  for (const [index, ids] of (await Promise.all(many)).entries()) expect(ids).toEqual([`u-p${index}`, 't-shared']);
});

// Holds the agent to the contract: verifies('workspace.general')
it('is closed to whom an admin takes out, until an admin lets them in again', async () => {
  for (const token of ['dan.three', 'eve.three']) {
    expect([await enter(token), (await member(token, 'DELETE', 'dan')).status]).toEqual([200, 403]);
  }
  expect((await member('zoe.three.admin', 'DELETE', 'dan')).body).toEqual({ ok: true });
  expect((await member('zoe.three.admin', 'DELETE', 'dan')).body).toEqual({ ok: true });
  expect([await enter('dan.three'), await enter('eve.three'), await enter('dan.four')]).toEqual([404, 200, 200]);
  expect(await idsOf('dan.three')).toEqual(['u-dan']);
  expect((await ask('dan.three', 'GET', '/workspaces/t-shared/members')).status).toBe(404);
  expect((await member('dan.three', 'PUT', 'dan')).status).toBe(404);
  expect((await ask('eve.three', 'GET', '/workspaces/t-shared/members')).body).toEqual([
    { user_id: 'dan', role: 'excluded', added_by: 'zoe', added_at: NOW },
  ]);
  expect((await member('eve.three', 'PUT', 'dan')).status).toBe(403);
  expect((await member('zoe.three.admin', 'PUT', 'dan', 'admin')).status).toBe(422);
  expect((await member('zoe.three.admin', 'PUT', 'dan')).body).toMatchObject({ user_id: 'dan', role: 'editor' });
  expect(await enter('dan.three')).toBe(200);
  expect((await ask('eve.three', 'GET', '/workspaces/t-shared/members')).body).toEqual([]);
  // Org admins are in all of the organization's teams, even with an `excluded` row.
  await member('zoe.three.admin', 'DELETE', 'zoe');
  expect([await enter('zoe.three.admin'), await enter('zoe.three')]).toEqual([200, 404]);
});

// Holds the agent to the contract: verifies('workspace.general')
it('stays away once it was deleted, with its name free again', async () => {
  const rename = (token: string, name: string) => ask(token, 'PATCH', '/workspaces/t-shared', { name });
  expect((await rename('dan.five', 'Lobby')).status).toBe(403);
  expect((await rename('zoe.five.admin', 'Lobby')).body).toEqual({ ...GENERAL, name: 'Lobby', role: 'admin' });
  const create = async (name: string) => (await ask('zoe.five.admin', 'POST', '/workspaces', { name })).status;
  expect([await create('lobby'), await create('General')]).toEqual([409, 200]);
  expect((await ask('dan.five', 'DELETE', '/workspaces/t-shared')).status).toBe(403);
  expect((await ask('zoe.five.admin', 'DELETE', '/workspaces/t-shared')).status).toBe(200);
  for (const token of ['dan.five', 'new.five', 'zoe.five.admin']) {
    expect(await enter(token)).toBe(404);
    expect(await idsOf(token)).not.toContain('t-shared');
  }
  expect((await member('zoe.five.admin', 'PUT', 'dan')).status).toBe(404);
  expect(await create('lobby')).toBe(200);
});

// Holds the agent to the contract: verifies('workspace.list'), verifies('workspace.create')
it('lists all that an organization has for its admins, who alone make teams where that is the rule', async () => {
  for (const token of ['dan.six', 'dan', 'zoe']) {
    expect((await ask(token, 'POST', '/workspaces', { name: 'Team' })).status).toBe(403);
  }
  const { body } = await ask('zoe.six.admin', 'POST', '/workspaces', { name: 'Team' });
  const { id } = body as Workspace;
  const all = (await ask('amy.six.admin', 'GET', '/workspaces?all=1')).body as Workspace[];
  const personal = { name: 'Personal', type: 'personal', created_at: NOW };
  expect(all).toEqual([
    { id: 'u-amy', ...personal, role: 'owner', created_by: 'amy' },
    { ...GENERAL, role: 'admin' },
    { id, name: 'Team', type: 'team', role: 'admin', created_at: NOW, created_by: 'zoe' },
    { id: 'u-dan', ...personal, role: null, created_by: 'dan' },
    { id: 'u-zoe', ...personal, role: null, created_by: 'zoe' },
  ]);
  for (const query of ['?all=1', '?all', '?all=true']) expect(await idsOf('amy.six.admin', query)).toHaveLength(5);
  expect(await idsOf('amy.six.admin', '?all=0')).toEqual(['u-amy', 't-shared']);
  expect(await idsOf('dan.six', '?all=1')).toEqual(['u-dan', 't-shared']);
  expect((await ask('dan.six', 'GET', '/workspaces?all=maybe')).status).toBe(422);
  // Only names are listed: the content of a personal workspace is private.
  for (const other of ['u-dan', 'u-zoe']) {
    expect((await ask('amy.six.admin', 'GET', '/files', undefined, other)).status).toBe(404);
  }
});
