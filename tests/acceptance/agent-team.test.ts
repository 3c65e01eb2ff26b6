import type { FileEntry, SharedData, Workspace, WorkspaceMember } from '@berth/contract/agent';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount, createColleague } from '../harness/accounts.ts';
import { type AgentCaller, agentToken, callerOf, deployAgent, textOf } from '../harness/agents.ts';
import { useBerth } from '../harness/use-berth.ts';

const NAME = 'agent-team';
const berth = useBerth();
/** Owns the account, so that she is an admin of the organization. */
let ada: AgentCaller;
let bob: AgentCaller;
let bobsId: string;
/** Of another account. */
let eve: AgentCaller;

beforeAll(async () => {
  const [colleague, other] = [await createColleague(berth, 'bob'), await createAccount(berth, 'eve')];
  await deployAgent(berth, NAME, 'agent-team');
  bobsId = colleague.userId;
  ada = callerOf(berth, NAME, await agentToken(berth, NAME));
  bob = callerOf(berth, NAME, await agentToken(berth, NAME, colleague.credential));
  eve = callerOf(berth, NAME, await agentToken(berth, NAME, { 'X-API-Key': other.key }));
}, 180_000);

const inside = (team: Pick<Workspace, 'id'>) => ({ headers: { 'x-workspace': team.id } });
const listed = async (caller: AgentCaller) => (await caller.call('GET', '/workspaces')).json<Workspace[]>();
const filesOf = async (caller: AgentCaller, team: Workspace) =>
  (await caller.call('GET', '/files', undefined, inside(team))).json<FileEntry[]>().map(({ path }) => path);

async function makeTeam(caller: AgentCaller, name: string): Promise<Workspace> {
  const made = await caller.call('POST', '/workspaces', { name, icon: '🍳' });
  expect(made.status).toBe(200);
  return made.json<Workspace>();
}

/** Says something in a workspace, and answers what the agent said. */
async function say(caller: AgentCaller, team: Pick<Workspace, 'id'>, chat: string, text: string): Promise<string> {
  const body = { messages: [{ role: 'user', content: text }] };
  const answer = await caller.call('POST', `/chat?id=${chat}`, body, inside(team));
  expect(answer.status).toBe(200);
  return answer.text;
}

describe('workspaces of people with accounts of the platform', () => {
  it('are one’s own, and General for all of the account', async () => {
    const [adas, bobs, eves] = [await listed(ada), await listed(bob), await listed(eve)];
    expect(adas.map(({ type, role }) => [type, role])).toEqual([
      ['personal', 'owner'],
      ['team', 'admin'],
    ]);
    expect(bobs[0]).toMatchObject({ id: `u-${bobsId}`, type: 'personal', role: 'owner' });
    expect(bobs[1]).toMatchObject({ id: 't-shared', name: 'General', role: 'editor' });
    // Of the same id, and of another account: nothing of the one is in the other.
    const general = { id: 't-shared' } as Workspace;
    await say(bob, general, 'hello', 'The door code is 4711');
    expect(await say(ada, general, 'hello', 'read')).toContain('4711');
    expect(eves[1]).toMatchObject({ id: 't-shared', name: 'General' });
    expect(await say(eve, general, 'hello', 'read')).not.toContain('4711');
    expect(await filesOf(eve, general)).toEqual([]);
  });

  it('share files and not chats, and are closed to everybody else', async () => {
    const team = await makeTeam(bob, 'Kitchen');
    expect(team).toMatchObject({ name: 'Kitchen', icon: '🍳', role: 'owner', created_by: bobsId });
    await say(bob, team, 'groceries', 'Buy salt');
    expect(await say(ada, team, 'groceries', 'Buy pepper')).toContain('Buy salt');
    expect(await filesOf(bob, team)).toEqual(['notes.md']);
    const chat = async (caller: AgentCaller) =>
      (await caller.call('GET', '/chats/groceries', undefined, inside(team))).text;
    expect(await chat(bob)).toContain('Buy salt');
    expect(await chat(ada)).not.toContain('"content":"Buy salt"');
    // The same id elsewhere is another chat, and the team's files are the team's.
    expect((await bob.call('GET', '/chats/groceries')).status).toBe(204);
    expect((await bob.call('GET', '/files/notes.md')).status).toBe(404);
    for (const header of [team.id, `u-${bobsId}`, 't-nobody', 't-shared,t-shared', '../etc']) {
      const answer = await eve.call('GET', '/files/notes.md', undefined, inside({ id: header }));
      expect([header, answer.status, answer.json()]).toEqual([header, 404, { detail: expect.any(String) }]);
    }
    const others = await eve.call('GET', '/files', undefined, inside(team));
    const random = await eve.call('GET', '/files', undefined, inside({ id: 't-nobody' }));
    expect([others.status, others.text]).toEqual([random.status, random.text]);
  });

  it('are lost by who is removed, with what they hold open and what they shared', async () => {
    const team = await makeTeam(ada, 'Cellar');
    const member = `/workspaces/${team.id}/members/${bobsId}`;
    const added = await ada.call('PUT', member, { role: 'editor' });
    expect(added.json<WorkspaceMember>()).toMatchObject({ user_id: bobsId, role: 'editor' });
    await say(bob, team, 'wine', 'Six bottles');
    const shared = await bob.call('POST', '/share', { path: 'file/notes.md' }, inside(team));
    const { url } = shared.json<{ url: string }>();
    const { pathname, search } = new URL(url, 'http://agent');
    const data = `${pathname.replace('/shared/', '/share/')}/data${search}`;
    const nobody = callerOf(berth, NAME);
    expect((await nobody.call('GET', pathname + search)).status).toBe(200);
    const file = (await nobody.call('GET', data)).json<SharedData & { url: string }>();
    expect((await nobody.call('GET', file.url)).text).toContain('Six bottles');
    expect((await bob.call('DELETE', '/trash', undefined, inside(team))).status).toBe(403);

    using turn = await bob.turn('watch', 'watch', {}, inside(team));
    await turn.until(({ frame }) => frame !== '[DONE]' && frame.type === 'text' && frame.text.includes('bottles'));
    expect((await ada.call('DELETE', member)).status).toBe(200);
    expect((await bob.call('GET', '/files', undefined, inside(team))).status).toBe(404);
    expect((await listed(bob)).map(({ id }) => id)).not.toContain(team.id);
    expect((await nobody.call('GET', data)).status).toBe(404);
    expect((await nobody.call('GET', file.url)).status).toBe(404);
    // Cut off: without [DONE].
    const events = await turn.finish();
    expect(events.at(-1)?.frame).not.toBe('[DONE]');
    expect(textOf(events)).toContain('Six bottles');
    expect(await filesOf(ada, team)).toEqual(['notes.md']);
  }, 120_000);

  it('are gone for all when they are deleted', async () => {
    const team = await makeTeam(bob, 'Attic');
    await say(bob, team, 'one', 'Old lamp');
    expect((await eve.call('DELETE', `/workspaces/${team.id}`)).status).toBe(404);
    expect((await ada.call('DELETE', `/workspaces/${team.id}`)).status).toBe(200);
    for (const caller of [ada, bob]) {
      expect((await caller.call('GET', '/files', undefined, inside(team))).status).toBe(404);
    }
    expect((await listed(bob)).map(({ name }) => name)).toContain('Kitchen');
  });
});
