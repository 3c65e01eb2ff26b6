import type { Chat, Frame, InboxApproval } from '@berth/contract/agent';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { framesOf, type LoopAgent, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { readTurn } from '../testing/read-turn.ts';
import { callWipe, confirmsOf, keyOf, wipe } from './testing/wipe.ts';

const decide = async (agent: LoopAgent, key: string, body: object, token = 'alice', headers = {}) =>
  await agent.call(token, 'POST', `/approvals/${key}`, body, headers);

const readChat = async (agent: LoopAgent, chatId = 'c1', token = 'alice') =>
  (await (await agent.call(token, 'GET', `/chats/${chatId}`)).json()) as Chat;

const inbox = async (agent: LoopAgent, token = 'alice', query = '', headers = {}) =>
  (await (await agent.call(token, 'GET', `/approvals${query}`, undefined, headers)).json()) as InboxApproval[];

const follow = async (agent: LoopAgent, chatId = 'c1', token = 'alice') =>
  await readTurn(await agent.call(token, 'GET', `/chats/${chatId}/stream`));

const twoCalls = { text: 'I wipe.', calls: [...callWipe.calls, { tool: 'wipe', args: { what: 'tape' } }] };

describe('a decision', () => {
  // Fails when a message of the person is made up, the call runs under another id, or the decision isn't recorded.
  it('goes on with the answer, without a message of the person', async () => {
    // Holds the agent to the contract: verifies('approval.continues')
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([{ text: 'I wipe.', ...callWipe }, 'Done.'], { tools: [tool] });
    const asked = await agent.say('Go', { auto: false });
    const stepId = framesOf(asked, 'step')[0]?.id;
    const response = await decide(agent, keyOf(asked), { decision: 'approve' });
    const { run, ...decided } = await response.json();
    expect(decided).toEqual({ ok: true, tool: 'wipe', decision: 'approve' });
    const turn = await follow(agent);
    expect(turn.ids[0]).toBe(`${run}:1`);
    expect([turn.text, turn.isDone, runs]).toEqual(['Done.', true, [{ what: 'disk' }]]);
    expect(framesOf(turn, 'step').at(-1)).toMatchObject({ id: stepId, ok: true, result: 'wiped' });
    const chat = await readChat(agent);
    expect(chat).toMatchObject({ run: 'done', run_id: run });
    expect(chat.messages).toHaveLength(2);
    const [question, answer] = chat.messages;
    expect(question?.content).toBe('Go');
    expect(answer?.parts).toEqual([
      { type: 'text', text: 'I wipe.' },
      expect.objectContaining({ type: 'step', id: stepId, ok: true, result: 'wiped' }),
      {
        ...{ type: 'decision', key: keyOf(asked), tool: 'wipe', label: 'Wipe disk' },
        ...{ decision: 'approve', by: 'alice', at: expect.stringContaining('T') },
      },
      { type: 'text', text: 'Done.' },
    ]);
    // The model sees its call with the result, and nothing that the person would have said.
    expect(agent.asked[1]?.messages).toMatchObject([
      { role: 'user', content: [{ text: 'Go' }] },
      { role: 'assistant', content: [{ text: 'I wipe.' }, { type: 'tool_call', tool: 'wipe' }] },
      { role: 'tool', text: 'wiped', isError: false },
      { role: 'user', content: [{ text: expect.stringContaining('The person decided') }] },
    ]);
  });

  // Fails when the answer goes on while calls still wait, or a denied call runs.
  it('waits for the others, and tells the model what was denied, and why', async () => {
    // Holds the agent to the contract: verifies('approval.reason'). Fails when the reason is dropped on the way to the model, or a
    // longer one than the record takes is accepted.
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([twoCalls, 'Well.'], { tools: [tool] });
    const [first, second] = confirmsOf(await agent.say('Go')).map(({ key }) => String(key)) as [string, string];
    const tooLong = await decide(agent, first, { decision: 'deny', reason: 'x'.repeat(501) });
    expect(tooLong.status).toBe(422);
    const denied = await decide(agent, first, { decision: 'deny', reason: ' Ask Ann first. ' });
    expect(await denied.json()).toMatchObject({ run: null });
    expect([agent.asked.length, runs.length]).toEqual([1, 0]);
    expect(await (await decide(agent, second, { decision: 'approve' })).json()).toMatchObject({
      run: expect.stringContaining('run_'),
    });
    expect((await follow(agent)).text).toBe('Well.');
    expect(runs).toEqual([{ what: 'tape' }]);
    const results = agent.asked[1]?.messages.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { text: expect.stringMatching(/^The person refused .* Their reason: Ask Ann first\.$/), isError: true },
      { text: 'wiped', isError: false },
    ]);
    expect((await decide(agent, second, { decision: 'approve' })).status).toBe(404);
    const decisions = (await readChat(agent)).messages.flatMap(({ parts = [] }) =>
      parts.filter(({ type }) => type === 'decision'),
    );
    expect(decisions).toMatchObject([{ decision: 'deny', reason: 'Ask Ann first.' }, { decision: 'approve' }]);
  });

  // Fails when the options of the turn that asked are forgotten: the second call would run without asking.
  it('goes on with the options of the turn that asked, and can ask again', async () => {
    const { tool, runs } = wipe('write');
    const other = { calls: [{ tool: 'wipe', args: { what: 'tape' } }] };
    await using agent = await openLoopAgent([callWipe, other, 'Done.'], { tools: [tool] });
    await decide(agent, keyOf(await agent.say('Go', { auto: false })), { decision: 'approve' });
    const second = await follow(agent);
    expect(confirmsOf(second)).toMatchObject([{ args: { what: 'tape' } }]);
    await decide(agent, keyOf(second), { decision: 'approve' });
    expect((await follow(agent)).text).toBe('Done.');
    expect(runs).toEqual([{ what: 'disk' }, { what: 'tape' }]);
    expect((await readChat(agent)).messages).toHaveLength(2);
  });

  // Fails when an agent whose handler can't go on, or a program that says when, is not asked.
  it.each([
    ['of a program that goes on itself', {}, { resume: false }],
    ['for an agent that opts out', { resume: false }, {}],
  ])('%s takes effect with the next message', async (_what, options, body) => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([callWipe, 'Done.'], { tools: [tool], ...options });
    const key = keyOf(await agent.say('Go'));
    expect(await (await decide(agent, key, { decision: 'approve', ...body })).json()).toMatchObject({ run: null });
    expect(runs).toEqual([]);
    expect((await agent.say('Go on.')).text).toBe('Done.');
    expect(runs).toHaveLength(1);
    expect((await readChat(agent)).messages.map(({ role }) => role)).toEqual([
      ...['user', 'assistant'],
      ...['user', 'assistant'],
    ]);
  });

  it('while another turn runs is taken up by the next one', async () => {
    const { tool, runs } = wipe();
    const held = Promise.withResolvers<void>();
    const model = [callWipe, 'Said.', 'Done.'];
    await using agent = await openLoopAgent(model, {
      tools: [tool],
      async system({ messages }) {
        if (JSON.stringify(messages.at(-1)?.content).includes('wait')) await held.promise;
        return 'You wipe.';
      },
    });
    const key = keyOf(await agent.say('Go'));
    const running = agent.say('wait');
    await waitUntil('the other turn runs', async () => (await readChat(agent)).run === 'running');
    expect(await (await decide(agent, key, { decision: 'approve' })).json()).toMatchObject({ run: null });
    held.resolve();
    await running;
    await agent.say('And now?');
    expect(runs).toHaveLength(1);
  });
});

describe('the inbox', () => {
  // Fails when a chat is left out, another person's call is shown, or the expiry is another one.
  it('lists what waits over all chats of a person, until it expires', async () => {
    // Holds the agent to the contract: verifies('approval.inbox')
    const clock = createFakeClock();
    const { tool } = wipe();
    const approvals = { expireAfterMs: 3_600_000 };
    await using agent = await openLoopAgent([callWipe], { tools: [tool], clock, approvals });
    const one = keyOf(await agent.say('First chat'));
    clock.advance(1_000);
    const two = keyOf(await agent.say('Second chat', {}, 'c2'));
    await agent.say('Of bob', {}, 'c1', 'bob');
    const rows = await inbox(agent);
    expect(rows).toEqual(
      [
        { key: one, chat_id: 'c1', chat_title: 'First chat', atMs: 0 },
        { key: two, chat_id: 'c2', chat_title: 'Second chat', atMs: 1_000 },
      ].map(({ atMs, ...row }) => ({
        ...row,
        ...{ tool: 'wipe', label: 'Wipe disk', args: { what: 'disk' } },
        expires_at: new Date(clock.nowMs() - 1_000 + atMs + 3_600_000).toISOString(),
      })),
    );
    expect((await decide(agent, one, { decision: 'approve' }, 'bob')).status).toBe(404);
    clock.advance(3_600_000 - 1_000);
    expect((await inbox(agent)).map(({ key }) => key)).toEqual([two]);
    expect((await decide(agent, one, { decision: 'approve' })).status).toBe(404);
  });

  // Fails when a member or another team decides, the call runs as the admin, or the choice `always` is the admin's.
  it('of a team is for its admins, who decide in place of the person', async () => {
    // Holds the agent to the contract: verifies('approval.delegated')
    const { tool, runs } = wipe();
    const users: unknown[] = [];
    await using agent = await openLoopAgent([callWipe, 'Done.'], {
      ...{ tools: [tool], workspaces: 'member', approvals: { approvers: 'admins' } },
      system: ({ user }) => {
        users.push(user?.id);
        return 'You wipe.';
      },
    });
    const create = async (name: string) =>
      (await (await agent.call('ann.acme', 'POST', '/workspaces', { name })).json()) as { readonly id: string };
    const [team, other] = [await create('Team'), await create('Other')];
    await agent.call('bob.acme', 'GET', '/workspaces');
    expect((await agent.call('ann.acme', 'PUT', `/workspaces/${team.id}/members/bob`, { role: 'editor' })).status).toBe(
      200,
    );
    const inTeam = { 'X-Workspace': team.id };
    const request = { messages: [{ role: 'user', content: 'Go' }] };
    const asked = await readTurn(await agent.call('bob.acme', 'POST', '/chat?id=c1', request, inTeam));
    const key = keyOf(asked);
    expect((await agent.call('bob.acme', 'GET', '/approvals?scope=workspace', undefined, inTeam)).status).toBe(403);
    expect(await inbox(agent, 'ann.acme', '', inTeam)).toEqual([]);
    expect(await inbox(agent, 'ann.acme', '?scope=workspace', { 'X-Workspace': other.id })).toEqual([]);
    expect(await inbox(agent, 'ann.acme', '?scope=workspace', inTeam)).toMatchObject([{ key, user_id: 'bob' }]);
    const approve = { decision: 'approve' };
    expect((await decide(agent, key, approve, 'ann.acme', { 'X-Workspace': other.id })).status).toBe(404);
    expect((await decide(agent, key, { decision: 'always' }, 'ann.acme', inTeam)).status).toBe(403);
    expect((await decide(agent, key, approve, 'ann.acme', inTeam)).status).toBe(200);
    await waitUntil('the call has run', () => runs.length === 1);
    const chat = async () =>
      (await (await agent.call('bob.acme', 'GET', '/chats/c1', undefined, inTeam)).json()) as Chat;
    await waitUntil('the answer has ended', async () => (await chat()).run === 'done');
    expect(new Set(users)).toEqual(new Set(['bob']));
    expect((await chat()).messages[1]?.parts).toContainEqual(
      expect.objectContaining({ type: 'decision', decision: 'approve', by: 'ann' }),
    );
  });

  it('of a team is closed unless the agent lets admins decide', async () => {
    await using agent = await openLoopAgent(['Hi.'], { workspaces: 'member' });
    const team = (await (await agent.call('ann.acme', 'POST', '/workspaces', { name: 'Team' })).json()) as {
      readonly id: string;
    };
    const headers = { 'X-Workspace': team.id };
    const response = await agent.call('ann.acme', 'GET', '/approvals?scope=workspace', undefined, headers);
    expect(response.status).toBe(403);
    expect(await inbox(agent, 'ann.acme', '', headers)).toEqual([] satisfies Frame[]);
  });
});
