import { describe, expect, test } from 'vitest';
import { openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';

const save = (args: object) => ({ calls: [{ tool: 'save_memory', args }] });
const TEAMS = { memory: true, workspaces: 'member' } as const;

async function listed(
  fixture: Pick<Awaited<ReturnType<typeof openTestAgent>>, 'call'>,
  token = 'alice',
  team?: string,
) {
  const answer = await fixture.call(
    token,
    'GET',
    '/memory',
    undefined,
    team === undefined ? {} : { 'X-Workspace': team },
  );
  return (await answer.json()) as readonly { readonly id: string; readonly text: string; readonly scope: string }[];
}

describe('the memory', () => {
  // Fails when what the model saved is not in the prompt of a later chat, or is in that of another person.
  test('of a person is in all of their chats, and in nobody else’s', async () => {
    // Holds the agent to the contract: verifies('memory.prompt', 'memory.person')
    await using fixture = await openLoopAgent([save({ text: 'Likes\n tea.' }), 'Saved.', 'Hello.', 'Hello.'], {
      system: 'You help.',
      memory: true,
    });
    await fixture.say('I like tea', {}, 'c1');
    expect(fixture.asked[0]?.system).toBe('You help.');
    expect(fixture.asked[0]?.tools.map(({ name }) => name)).toEqual(['save_memory', 'delete_memory']);
    const [memory] = await listed(fixture);
    expect(memory).toMatchObject({ text: 'Likes tea.', scope: 'person', by: 'agent' });
    await fixture.say('Hi', {}, 'c2');
    expect(fixture.asked.at(-1)?.system).toMatch(
      new RegExp(`^You help\\.\n\n.*\n- ${memory?.id} \\(\\d{4}-\\d\\d-\\d\\d\\): Likes tea\\.\n\n`),
    );
    await fixture.say('Hi', {}, 'c1', 'bob');
    expect(fixture.asked.at(-1)?.system).toBe('You help.');
    expect(await listed(fixture, 'bob')).toEqual([]);
  });

  // Fails when a member sees another's own memories, a team's are not shared, or they are seen in another workspace.
  test('of a team is that of all its members, beside their own', async () => {
    // Holds the agent to the contract: verifies('memory.team', 'memory.person', 'memory.entry', 'memory.erase')
    await using fixture = await openLoopAgent(
      [save({ text: 'Ships on Fridays.', scope: 'team' }), 'Saved.', 'Hello.'],
      TEAMS,
    );
    const team = (await (await fixture.call('alice', 'POST', '/workspaces', { name: 'Shop' })).json()).id as string;
    const inTeam = { 'X-Workspace': team };
    await fixture.call('alice', 'PUT', `/workspaces/${team}/members/bob`, { role: 'editor' });
    const turn = { messages: [{ role: 'user', content: 'Hi' }] };
    const say = async (token: string) => await (await fixture.call(token, 'POST', '/?id=c', turn, inTeam)).text();
    await say('alice');
    await fixture.call('alice', 'POST', '/memory', { text: 'Likes tea.' }, inTeam);
    await say('bob');
    expect(fixture.asked.at(-1)?.system).toContain('Ships on Fridays.');
    expect(fixture.asked.at(-1)?.system).not.toContain('Likes tea');
    expect((await listed(fixture, 'bob', team)).map(({ text }) => text)).toEqual(['Ships on Fridays.']);
    expect((await listed(fixture, 'alice', team)).map(({ text, scope }) => [text, scope])).toEqual([
      ['Likes tea.', 'person'],
      ['Ships on Fridays.', 'team'],
    ]);
    expect([await listed(fixture), await listed(fixture, 'bob')]).toEqual([[], []]);
    expect((await fixture.call('bob', 'DELETE', '/memory?scope=team', undefined, inTeam)).status).toBe(403);
    expect(await (await fixture.call('alice', 'DELETE', '/memory?scope=team', undefined, inTeam)).json()).toEqual({
      ok: true,
      removed: 1,
    });
    expect(await listed(fixture, 'bob', team)).toEqual([]);
  });

  // Fails when an id makes a second entry, or an entry stays or another one goes when the model forgets it.
  test('is changed and forgotten by the model', async () => {
    // Holds the agent to the contract: verifies('memory.tools')
    const known: { id?: string } = {};
    const replace = () => save({ text: 'Lives in Rome.', id: known.id });
    const forget = () => ({ calls: [{ tool: 'delete_memory', args: { id: known.id } }] });
    const steps = [save({ text: 'Lives in Oslo.' }), 'Saved.', replace, 'Changed.', forget, 'Gone.', forget, 'Hm.'];
    await using fixture = await openLoopAgent(steps, { memory: true });
    await fixture.call('alice', 'PUT', '/tools/delete_memory', { mode: 'allow' });
    await fixture.call('alice', 'POST', '/memory', { text: 'Likes tea.' });
    await fixture.say('I live in Oslo');
    const saved = (await listed(fixture)).find(({ text }) => text === 'Lives in Oslo.');
    known.id = saved?.id ?? '';
    await fixture.say('I moved to Rome');
    const changed = await listed(fixture);
    expect(changed).toHaveLength(2);
    expect(changed).toContainEqual({ ...saved, text: 'Lives in Rome.', updated_at: expect.any(String) });
    await fixture.say('Forget where I live');
    expect((await listed(fixture)).map(({ text }) => text)).toEqual(['Likes tea.']);
    await fixture.say('Forget it again');
    expect(fixture.asked.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', isError: true });
  });

  // Fails when a change or an erasure does not reach the prompt, or reaches another person's memory.
  test('is added to, changed and erased by its person', async () => {
    // Holds the agent to the contract: verifies('memory.entry', 'memory.unknown', 'memory.erase')
    await using fixture = await openLoopAgent(['Hello.'], { memory: true });
    const add = async (text: string, token = 'alice') =>
      (await (await fixture.call(token, 'POST', '/memory', { text })).json()) as { readonly id: string };
    const [first, second] = [await add('  Likes\ntea. '), await add('Lives in Rome.')];
    await add('Is Bob.', 'bob');
    const at = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const stored = { id: expect.any(String), scope: 'person', by: 'user', created_at: at, updated_at: at };
    expect(await listed(fixture)).toEqual([
      { ...stored, text: 'Likes tea.' },
      { ...stored, text: 'Lives in Rome.' },
    ]);
    expect((await fixture.call('bob', 'PUT', `/memory/${first.id}`, { text: 'x' })).status).toBe(404);
    expect((await fixture.call('bob', 'DELETE', `/memory/${first.id}`)).status).toBe(404);
    expect(
      await (await fixture.call('alice', 'PUT', `/memory/${first.id}`, { text: 'Likes coffee.' })).json(),
    ).toMatchObject({ text: 'Likes coffee.', by: 'user' });
    expect((await fixture.call('alice', 'DELETE', `/memory/${second.id}`)).status).toBe(200);
    expect((await fixture.call('alice', 'DELETE', `/memory/${second.id}`)).status).toBe(404);
    await fixture.say('Hi');
    expect(fixture.asked.at(-1)?.system).toMatch(/Likes coffee\./);
    expect(fixture.asked.at(-1)?.system).not.toMatch(/tea|Rome|Bob/);
    expect(await (await fixture.call('alice', 'DELETE', '/memory')).json()).toEqual({ ok: true, removed: 1 });
    await fixture.say('Hi');
    expect(fixture.asked.at(-1)).not.toHaveProperty('system');
    expect(await listed(fixture, 'bob')).toHaveLength(1);
  });

  // Fails when a bound is missing: what is remembered is in every request to the model.
  test('is bounded', async () => {
    // Holds the agent to the contract: verifies('memory.bounds')
    await using fixture = await openLoopAgent([save({ text: 'One more.' }), 'Sorry.'], { memory: true });
    const post = (body: object) => fixture.call('alice', 'POST', '/memory', body);
    for (const text of ['', ' \n ', 'x'.repeat(501)]) expect((await post({ text })).status).toBe(422);
    expect((await post({ text: 'x', scope: 'team' })).status).toBe(422);
    for (let count = 0; count < 50; count++) expect((await post({ text: 'x'.repeat(500) })).status).toBe(200);
    const refused = await post({ text: 'x' });
    expect([refused.status, await refused.json()]).toEqual([409, { detail: expect.stringContaining('50 entries') }]);
    await fixture.say('Hi');
    expect(fixture.asked.at(-1)?.messages.at(-1)).toMatchObject({
      isError: true,
      text: expect.stringContaining('50 entries'),
    });
  });

  // Fails when a memory is in a share, for example in the label of the step that saved it.
  test('is in no share', async () => {
    // Holds the agent to the contract: verifies('memory.share')
    await using fixture = await openLoopAgent([save({ text: 'Has a secret garden.' }), 'Saved.'], { memory: true });
    await fixture.say('Remember it');
    const { url } = await (await fixture.call('alice', 'POST', '/share', { path: 'chat/c1' })).json();
    const shared = await (await fixture.call(undefined, 'GET', `${url.replace('/shared/', '/share/')}/data`)).text();
    expect(shared).toContain('Save to memory');
    expect(shared).not.toContain('garden');
  });

  // Fails when an agent keeps a memory that its owner did not ask for, or of no one.
  test('is off by default, and needs people', async () => {
    // Holds the agent to the contract: verifies('memory.off')
    await using fixture = await openLoopAgent(['Hello.'], {});
    await fixture.call('alice', 'POST', '/memory', { text: 'Likes tea.' });
    await fixture.say('Hi');
    expect(fixture.asked[0]).toMatchObject({ tools: [] });
    expect(fixture.asked[0]).not.toHaveProperty('system');
    expect((await listed(fixture)).map(({ text }) => text)).toEqual(['Likes tea.']);
    expect(await (await fixture.call('alice', 'DELETE', '/memory')).json()).toEqual({ ok: true, removed: 1 });
    expect(await (await fixture.call(undefined, 'GET', '/config')).json()).toMatchObject({ memory: false });
    await using open = await openTestAgent({ hasAuth: false });
    expect((await open.call('alice', 'GET', '/memory')).status).toBe(404);
    await expect(openTestAgent({ hasAuth: false, memory: true })).rejects.toThrow(/memory requires auth/);
    await using shown = await openTestAgent({ memory: true });
    expect(await (await shown.call(undefined, 'GET', '/config')).json()).toMatchObject({ memory: true });
  });
});
