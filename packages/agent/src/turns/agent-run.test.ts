import { callout, defineTool } from '@berth/agent-core';
import { BerthError } from '@berth/kit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import type { AgentRun } from './agent-run.ts';

const alice = { id: 'alice' };
const remove = defineTool({
  name: 'remove',
  description: 'Removes.',
  risk: 'destructive',
  input: z.object({ name: z.string() }),
  label: ({ name }) => `Remove ${name}`,
  run: ({ name }) => `removed ${name}`,
});

async function textOf(run: AgentRun): Promise<string> {
  let text = '';
  for await (const frame of run) if (frame.type === 'text') text += frame.text;
  return text;
}

/** Fails when a run keeps its own history, prices, or lock instead of the routes'. */
test('a program starts a turn in the same chats, at the same prices, as the route', async () => {
  const prices = { models: { scripted: { input: 1_000, output: 2_000 } } };
  await using fixture = await openLoopAgent(['By hand.', 'By program.', 'By hand again.'], { prices });
  await fixture.say('One');
  const run = await fixture.agent.run({ user: alice, chatId: 'c1', message: 'Two' });
  const result = await run.result;
  expect(result).toMatchObject({ runId: run.runId, chatId: 'c1', status: 'done', text: 'By program.', approvals: [] });
  expect(result.usage).toMatchObject({ calls: 1, inputTokens: fixture.usage[1]?.['input'] });
  expect(result.costUsd.toFixed(6)).toBe(fixture.usage[1]?.['cost']);
  expect(fixture.asked[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  await fixture.say('Three');
  expect(fixture.asked[2]?.messages).toHaveLength(5);
  const chat = await (await fixture.call('alice', 'GET', '/chats/c1')).json();
  expect(chat.messages).toHaveLength(6);
  const costs = fixture.usage.reduce((sum, line) => sum + Number(line['cost']), 0);
  expect(Number(chat.cost)).toBeCloseTo(costs, 6);
});

/** Fails when the frames are read once only, or a run waits for its reader. */
test('frames come from the first one, to each reader, after the end too', async () => {
  await using fixture = await openTestAgent({
    handler: async function* () {
      yield 'one ';
      yield callout('look');
      yield 'two';
    },
  });
  const run = await fixture.agent.run({ user: alice, message: 'go' });
  for await (const frame of run) {
    expect(frame.type).toBe('chat_id');
    break;
  }
  const [first, second] = await Promise.all([textOf(run), textOf(run)]);
  const { parts, text } = await run.result;
  expect([first, second, await textOf(run)]).toEqual(['one two', 'one two', 'one two']);
  expect(parts.map(({ type }) => type)).toEqual(['text', 'callout', 'text']);
  expect(text).toContain('> look');
});

/** Fails when `stop()` or the signal doesn't reach the handler, or stops a later run of the chat. */
test('stop() and the signal end the turn, and keep what it said', async () => {
  const released = Promise.withResolvers<void>();
  await using fixture = await openTestAgent({
    handler: async function* ({ signal, messages }) {
      yield 'begun';
      if (messages.at(-1)?.content === 'wait' && !signal.aborted) {
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      } else await released.promise;
    },
  });
  const stopped = await fixture.agent.run({ user: alice, chatId: 'c1', message: 'wait' });
  await expect(fixture.agent.run({ user: alice, chatId: 'c1', message: 'too' })).rejects.toMatchObject({
    code: 'conflict',
  });
  await stopped.stop();
  expect(await stopped.result).toMatchObject({ status: 'stopped', text: 'begun' });
  const controller = new AbortController();
  const aborted = await fixture.agent.run({
    user: alice,
    chatId: 'c1',
    message: 'wait',
    signal: controller.signal,
  });
  controller.abort();
  expect(await aborted.result).toMatchObject({ status: 'stopped' });
  const next = await fixture.agent.run({ user: alice, chatId: 'c1', message: 'until released' });
  // The first run has ended: this must not stop the one that runs now.
  await stopped.stop();
  released.resolve();
  expect(await next.result).toMatchObject({ status: 'done' });
});

/** Fails when an error rejects the result, or its reference is lost. */
test('a turn that fails has a result that says so', async () => {
  await using fixture = await openTestAgent({
    handler: async function* () {
      yield 'so far';
      throw new Error('hunter2');
    },
  });
  const result = await (await fixture.agent.run({ user: alice, message: 'go' })).result;
  expect(result).toMatchObject({ status: 'failed', error: expect.stringMatching(/[0-9a-f]{8}$/) });
  expect(JSON.stringify(result)).not.toContain('hunter2');
});

/** Fails when the run runs a destructive tool unasked, or the key in its result is none. */
test('a call that asks is in the result, and its key approves it', async () => {
  const steps = [{ calls: [{ tool: 'remove', args: { name: 'a' } }] }, 'Gone.'];
  await using fixture = await openLoopAgent(steps, { tools: [remove] });
  const first = await (await fixture.agent.run({ user: alice, chatId: 'c1', message: 'remove a' })).result;
  expect(first.approvals).toMatchObject([{ tool: 'remove', label: 'Remove a', args: { name: 'a' } }]);
  const keys = first.approvals.map(({ key }) => key);
  const second = await fixture.agent.run({ user: alice, chatId: 'c1', message: 'yes', approvals: keys });
  expect((await second.result).parts).toContainEqual(
    expect.objectContaining({ type: 'step', ok: true, result: 'removed a' }),
  );
});

/** Fails when a wrong option is stored, or taken for another person's. */
test('wrong options are refused, each by its name', async () => {
  await using fixture = await openTestAgent();
  await using open = await openTestAgent({ hasAuth: false });
  const refusal = async (run: Promise<unknown>) => {
    const error = await run.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return BerthError.is(error) ? error.message : error;
  };
  const { agent } = fixture;
  expect(await refusal(agent.run({ message: 'hi' }))).toContain('user: { id');
  expect(await refusal(agent.run({ user: alice, message: 'hi', chatId: 'a b' }))).toContain('chatId');
  expect(await refusal(agent.run({ user: alice, message: 'hi', workspace: 't-1' }))).toContain('workspace');
  expect(await refusal(agent.run({ user: alice, message: 'hi', output: z.string() }))).toContain('z.object');
  expect(await refusal(agent.run({ user: alice } as never))).toContain('messages');
  const outside = { content: [{ type: 'file', file: '../secret' }] } as const;
  expect(await refusal(agent.run({ user: alice, message: outside }))).toContain('leaves');
  expect(await refusal(open.agent.run({ user: alice, message: 'hi' }))).toContain('without auth');
  expect(await (await fixture.call('alice', 'GET', '/chats')).json()).toEqual([]);
  const anonymous = await open.agent.run({ message: 'hi' });
  expect([await textOf(anonymous), (await anonymous.result).text]).toEqual(['You said: hi', 'You said: hi']);
});

/** Fails when a run enters a team that the person is not in, or keeps its chat under the personal key. */
test('a run works in a team of the person, and in no other', async () => {
  await using fixture = await openTestAgent({
    workspaces: 'member',
    handler: async function* ({ workspace }) {
      yield workspace.id;
    },
  });
  const { id } = await (await fixture.call('alice', 'POST', '/workspaces', { name: 'Crew' })).json();
  const run = await fixture.agent.run({ user: alice, workspace: id, chatId: 'c1', message: 'where?' });
  expect((await run.result).text).toBe(id);
  const inTeam = await fixture.call('alice', 'GET', '/chats/c1', undefined, { 'X-Workspace': id });
  expect([inTeam.status, (await fixture.call('alice', 'GET', '/chats/c1')).status]).toEqual([200, 204]);
  const foreign = fixture.agent.run({ user: { id: 'bob' }, workspace: id, message: 'hi' });
  await expect(foreign).rejects.toMatchObject({ code: 'not_found' });
});
