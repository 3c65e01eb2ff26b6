import { defineTool } from '@berth/agent-core';
import { BerthError } from '@berth/kit';
import { createFakeClock } from '@berth/kit/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dev } from '../auth/dev.ts';
import { defineAgent } from '../compose/define-agent.ts';
import { scripted } from '../models/scripted.ts';
import { testAgent } from './test-agent.ts';
import { assertFrames } from './test-frames.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds two numbers.',
  risk: 'read',
  input: z.object({ a: z.number(), b: z.number() }),
  label: ({ a, b }) => `Add ${a} and ${b}`,
  run: ({ a, b }) => a + b,
});
const remove = defineTool({
  name: 'remove',
  description: 'Removes.',
  risk: 'destructive',
  input: z.object({ name: z.string() }),
  run: ({ name }) => `removed ${name}`,
});
const real = scripted('the real model');
const calls = (tool: string, args: unknown) => ({ calls: [{ tool, args }] });

/** Fails when a turn does not run in the agent's own engine, or its record misses something that was sent. */
test('an agent answers in a test as it does deployed, with another model', async () => {
  const agent = defineAgent({ name: 'calc', auth: dev(), model: real, tools: [add], system: 'Be brief.' });
  await using tested = await testAgent(agent, {
    model: scripted([calls('add', { a: 2, b: 3 }), 'It is 5.', 'Again.']),
  });
  const turn = await tested.say('What is 2 + 3?', { chatId: 'c1' });
  expect(turn).toMatchObject({ status: 'done', text: expect.stringContaining('It is 5.'), approvals: [] });
  expect(turn.calls).toMatchObject([{ tool: 'add', args: { a: 2, b: 3 }, ok: true, result: '5' }]);
  assertFrames(turn.frames, [
    { type: 'chat_id', chat_id: 'c1' },
    { type: 'step', step: 'Add 2 and 3' },
    { type: 'step', ok: true, result: '5' },
    { type: 'text', text: /^It is 5\.$/ },
  ]);
  expect(tested.asked[0]?.system).toContain('Be brief.');
  // The chat goes on, and belongs to its user.
  await tested.say('Again?', { chatId: 'c1' });
  expect(tested.asked[2]?.messages.length).toBeGreaterThan(2);
  const chats = async (user?: { id: string }) => (await tested.fetch('/chats', {}, user)).json();
  expect(await chats()).toMatchObject([{ id: 'c1' }]);
  expect(await chats({ id: 'bob' })).toEqual([]);
  expect((await tested.fetch('/chats', {}, null)).status).toBe(401);
});

/** Fails when an approval can't be given in a test. */
test('a test decides on calls that ask', async () => {
  const model = scripted([calls('remove', { name: 'a.txt' }), 'Done.']);
  await using tested = await testAgent({ name: 'files', auth: dev(), model, tools: [remove] });
  const asked = await tested.say('Remove a.txt', { chatId: 'c1' });
  expect(asked.approvals).toMatchObject([{ tool: 'remove', args: { name: 'a.txt' } }]);
  expect(asked.calls).toMatchObject([{ tool: 'remove' }]);
  const done = await tested.say('Yes', { chatId: 'c1', approvals: asked.approvals.map(({ key }) => key) });
  expect(done.calls).toMatchObject([{ tool: 'remove', ok: true, result: 'removed a.txt' }]);
});

/** Fails when the answer doesn't go on by itself, or what it adds isn't returned. */
test.each([
  ['approve', { tool: 'remove', ok: true, result: 'removed a.txt' }],
  ['deny', { tool: 'remove', ok: false }],
] as const)('a test decides without another message: %s', async (decision, call) => {
  const model = scripted([calls('remove', { name: 'a.txt' }), 'Noted.']);
  await using tested = await testAgent({ name: 'files', auth: dev(), model, tools: [remove] });
  const { approvals } = await tested.say('Remove a.txt', { chatId: 'c1' });
  const key = approvals[0]?.key ?? '';
  await expect(tested.decide(key, decision, { id: 'bob' })).rejects.toThrow('No call waits');
  const turn = await tested.decide(key, decision);
  expect(turn).toMatchObject({ chatId: 'c1', status: 'done', text: 'Noted.', calls: [call] });
  assertFrames(turn.frames, [{ type: 'text', text: 'Noted.' }]);
  await expect(tested.decide(key, decision)).rejects.toThrow('No call waits');
});

/** Fails when the agent reads the machine's time, environment or database, or two tests share what they keep. */
test('each test has a clock, an environment and data of its own', async () => {
  const clock = createFakeClock(Date.UTC(2030, 0, 1));
  const slow = defineTool({
    name: 'slow',
    description: 'Never ends.',
    risk: 'read',
    input: z.object({}),
    timeoutMs: 60_000,
    run: () => new Promise(() => {}),
  });
  const agent = defineAgent({ name: 'slow', auth: dev(), databaseUrl: 'postgres://nowhere.invalid/prod', model: real });
  {
    const model = scripted([calls('slow', {}), 'It took too long.']);
    await using tested = await testAgent(agent, { model, tools: [slow], clock });
    await expect(testAgent(agent)).rejects.toSatisfy((error) => BerthError.is(error, 'conflict'));
    const turn = tested.say('Go.', { chatId: 'c1' });
    await expect.poll(() => tested.asked.length).toBe(1);
    await clock.elapse(61_000);
    expect((await turn).calls).toMatchObject([{ tool: 'slow', ok: false, result: 'Stopped after 60 s.' }]);
    expect(await (await tested.fetch('/chats')).json()).toMatchObject([
      { createdAt: expect.stringMatching(/^2030-01-01/) },
    ]);
  }
  await using second = await testAgent(agent);
  expect(await (await second.fetch('/chats')).json()).toEqual([]);
  expect((await second.say('Hello')).text).toBe('the real model');
});

/** Fails when a failed turn throws, or its cause can't be read in the test. */
test('a turn that fails says so, and the log has the cause', async () => {
  await using tested = await testAgent({
    name: 'broken',
    handler: () => {
      throw new Error('out of paper');
    },
  });
  const turn = await tested.say('Print.');
  expect(turn).toMatchObject({ status: 'failed', error: expect.stringContaining('Something went wrong') });
  expect(JSON.stringify(tested.logs.filter(({ level }) => level === 'error'))).toContain('out of paper');
});

/** Fails when a missing or misplaced frame goes unnoticed, or the message does not name it. */
test('assertFrames names the first frame that is missing', () => {
  const frames = [
    { type: 'text', text: 'one' },
    { type: 'callout', callout: 'two', style: 'info' },
  ] as const;
  assertFrames(frames, [{ type: 'text' }, { type: 'callout', callout: /^t/ }]);
  expect(() => assertFrames(frames, [{ type: 'callout' }, { type: 'text' }])).toThrow(
    'No frame matches pattern 2 after the one before it: {"type":"text"}',
  );
  expect(() => assertFrames(frames, [{ type: 'text', text: /two/ }])).toThrow('"text":"/two/"}\nThe frames were:');
});
