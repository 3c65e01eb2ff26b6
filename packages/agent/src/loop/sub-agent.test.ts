import { defineTool } from '@berth/agent-core';
import type { Part } from '@berth/contract/agent';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Model, ModelRequest } from '../models/model.ts';
import { type ScriptedAnswer, scripted } from '../models/scripted.ts';
import { subAgent } from './sub-agent.ts';
import { framesOf, openLoopAgent, storedSteps } from './testing/open-loop-agent.ts';

const alice = { id: 'alice' };
const prices = { models: { scripted: { input: 1_000, output: 1_000 }, cheap: { input: 10, output: 10 } } };
const add = defineTool({
  name: 'add',
  description: 'Adds.',
  risk: 'read',
  input: z.object({ a: z.number(), b: z.number() }),
  label: ({ a, b }) => `Add ${a} and ${b}`,
  run: ({ a, b }) => a + b,
});
const removed: string[] = [];
const remove = defineTool({
  name: 'remove',
  description: 'Removes.',
  risk: 'destructive',
  input: z.object({ name: z.string() }),
  label: ({ name }) => `Remove ${name}`,
  run({ name }) {
    removed.push(name);
    return `removed ${name}`;
  },
});
const ask = (tool: string, args: unknown): ScriptedAnswer => ({ calls: [{ tool, args }] });
const describe = { description: 'Does what it is told.' };

/** A model that keeps what it was asked. */
function recorded(steps: Parameters<typeof scripted>[0], name = 'cheap') {
  const asked: ModelRequest[] = [];
  const inner = scripted(steps, { name });
  const model: Model = {
    name,
    stream(request) {
      asked.push(request);
      return inner.stream(request);
    },
  };
  return { model, asked };
}

/** Fails when the child's words are the parent's answer, its steps are not shown, or its usage is not counted. */
test('a sub-agent answers in a conversation of its own, and its steps and usage are in the turn', async () => {
  // Holds the agent to the contract: verifies('frame.parent')
  const child = recorded([{ text: 'I add.', ...ask('add', { a: 2, b: 3 }) }, 'It is 5.']);
  const math = subAgent({ name: 'math', ...describe, model: child.model, system: 'Add.', tools: [add] });
  await using fixture = await openLoopAgent([ask('math', { task: '2 + 3' }), 'Five.', 'Sure.'], {
    tools: [math],
    prices,
  });
  const turn = await fixture.say('2 + 3?');
  expect(turn.text).toBe('Five.');
  expect(child.asked[0]).toMatchObject({ system: 'Add.', messages: [{ content: [{ text: '2 + 3' }] }] });
  expect(await storedSteps(fixture)).toMatchObject([
    { id: 'call_1_0', step: 'math: 2 + 3', ok: true, result: 'It is 5.' },
    { id: 'call_1_0_2', parent: 'call_1_0', step: 'Add 2 and 3', ok: true, result: '5' },
  ]);
  expect(framesOf(turn, 'step').filter(({ parent }) => parent === 'call_1_0').length).toBeGreaterThan(1);
  expect(fixture.usage[0]).toMatchObject({ steps: 4, priced: true });
  // The next turn knows of the call, and not of what the sub-agent did for it.
  await fixture.say('Sure?');
  const called = fixture.asked[2]?.messages.filter(({ role }) => role === 'assistant');
  expect(JSON.stringify(called)).toContain('"tool":"math"');
  expect(JSON.stringify(called)).not.toContain('"tool":"add"');
});

/** Fails when the caller's model, the output's schema or the input's is not used, or the caller's prompt is. */
test('by default it uses the model of its caller; input and output have types', async () => {
  const judge = subAgent({
    name: 'judge',
    ...describe,
    input: z.object({ claim: z.string() }),
    prompt: ({ claim }) => `Is this true? ${claim}`,
    output: z.object({ isTrue: z.boolean() }),
  });
  const steps = [ask('judge', { claim: 'Water is wet' }), '{"isTrue":true}', 'It is true.'];
  const options = { tools: [judge], system: 'Be kind.', toolChoice: 'required' } as const;
  await using fixture = await openLoopAgent(steps, options);
  expect((await fixture.say('Is it?')).text).toBe('It is true.');
  // What the caller is told to be and to do is not for the sub-agent.
  expect(fixture.asked.map(({ system, toolChoice }) => [system, toolChoice])).toEqual([
    ['Be kind.', 'required'],
    [undefined, undefined],
    ['Be kind.', undefined],
  ]);
  expect(JSON.stringify(fixture.asked[1]?.messages)).toContain('Is this true? Water is wet');
  expect(await storedSteps(fixture)).toMatchObject([{ ok: true, result: '{"isTrue":true}' }]);
});

/** Fails when the child goes on after the turn was stopped. */
test('stopping the turn stops it', async () => {
  const begun = Promise.withResolvers<AbortSignal>();
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    risk: 'read',
    input: z.object({}),
    run: (_input, { signal }) => {
      begun.resolve(signal);
      return new Promise(() => {});
    },
  });
  const child = subAgent({ name: 'child', ...describe, model: scripted(ask('wait', {})), tools: [wait] });
  await using fixture = await openLoopAgent([ask('child', { task: 'wait' }), 'Never.'], { tools: [child] });
  const run = await fixture.agent.run({ user: alice, message: 'Go' });
  const signal = await begun.promise;
  await run.stop();
  const { status, parts } = await run.result;
  const frames = await Array.fromAsync(run);
  const ended = { type: 'step', id: 'call_1_0_2', ok: false, result: 'Stopped before it ended.' };
  expect(frames).toContainEqual(expect.objectContaining(ended));
  expect([status, signal.aborted]).toEqual(['stopped', true]);
  const steps = parts.filter((part): part is Extract<Part, { type: 'step' }> => part.type === 'step');
  expect(steps.map(({ ok, parent }) => [ok, parent === undefined])).toEqual([
    [false, true],
    [false, false],
  ]);
});

/** Fails when the child goes on after its call has failed. */
test('its time is bounded', async () => {
  let seen: AbortSignal | undefined;
  const wait = defineTool({
    name: 'wait',
    description: 'Waits.',
    risk: 'read',
    input: z.object({}),
    run: (_input, { signal }) => {
      seen = signal;
      return new Promise(() => {});
    },
  });
  const child = subAgent({
    name: 'child',
    ...describe,
    model: scripted(ask('wait', {})),
    tools: [wait],
    timeoutMs: 30,
  });
  await using fixture = await openLoopAgent([ask('child', { task: 'wait' }), 'It took too long.'], { tools: [child] });
  expect((await fixture.say('Go')).text).toBe('It took too long.');
  // On a busy machine the time may be over before the tool is called.
  expect(seen?.aborted).not.toBe(false);
  expect(await storedSteps(fixture)).toContainEqual(
    expect.objectContaining({ tool_name: 'child', ok: false, result: 'Stopped after 0.03 s.' }),
  );
});

/** Fails when the child's call runs unasked, its steps read as failed while it waits, the approval is lost, or the child begins again. */
test.each(['approve', 'deny'] as const)(
  'a call that asks waits in the turn; after %s the sub-agent goes on',
  async (decision) => {
    removed.length = 0;
    const child = recorded([ask('add', { a: 1, b: 1 }), ask('remove', { name: 'x' }), 'All settled.']);
    const inner = subAgent({ name: 'inner', ...describe, model: child.model, tools: [add, remove] });
    const outer = subAgent({
      name: 'outer',
      ...describe,
      model: scripted([ask('inner', { task: 'do' }), 'Inner is done.']),
      tools: [inner],
    });
    const steps = [ask('outer', { task: 'go' }), 'Everything is done.'];
    await using fixture = await openLoopAgent(steps, { tools: [outer] });
    const first = await (await fixture.agent.run({ user: alice, chatId: 'c1', message: 'Go' })).result;
    expect(first.approvals).toMatchObject([{ tool: 'remove', args: { name: 'x' } }]);
    expect([first.text, removed]).toEqual(['', []]);
    const key = first.approvals[0]?.key ?? '';
    const readSteps = async () => {
      const { messages } = await (await fixture.call('alice', 'GET', '/chats/c1')).json();
      const parts = (messages[1].parts as Part[]).filter((part) => part.type === 'step');
      return Object.fromEntries(parts.map((part) => [part.tool_name, part]));
    };
    const waits = { pending: true };
    expect(await readSteps()).toMatchObject({ outer: waits, inner: waits, add: { ok: true }, remove: waits });
    await fixture.call('alice', 'POST', `/chats/c1/approvals/${key}`, { decision, resume: false });
    const second = await fixture.say('Go on');
    expect(second.text).toBe('Everything is done.');
    expect(removed).toEqual(decision === 'approve' ? ['x'] : []);
    // It knows what it did before, and the result of the call.
    const told = JSON.stringify(child.asked[2]?.messages);
    expect(told).toContain('"tool":"add"');
    expect(told).toContain(decision === 'approve' ? 'removed x' : 'The person refused this call');
    expect(child.asked).toHaveLength(3);
    expect(await readSteps()).toMatchObject({
      outer: { ok: true, result: 'Inner is done.' },
      inner: { ok: true, result: 'All settled.' },
      remove: { ok: decision === 'approve' },
    });
  },
);

/** Fails when a model that delegates to itself goes on without end. */
test('depth and number are bounded', async () => {
  const results: string[] = [];
  const deep = (depth: number): ReturnType<typeof subAgent> =>
    subAgent({
      name: 'deeper',
      ...describe,
      model: scripted([
        ask('deeper', { task: 'more' }),
        ({ messages }) => {
          const last = messages.at(-1);
          results.push(last?.role === 'tool' ? last.text : '');
          return 'up';
        },
      ]),
      ...(depth > 0 && { tools: [deep(depth - 1)] }),
    });
  const many = Array.from({ length: 31 }, () => ({ tool: 'quick', args: { task: 'x' } }));
  const quick = subAgent({ name: 'quick', ...describe, model: scripted('ok') });
  await using fixture = await openLoopAgent([ask('deeper', { task: 'go' }), { calls: many }, 'End.'], {
    tools: [deep(4), quick],
  });
  expect((await fixture.say('Go')).text).toBe('End.');
  expect(results[0]).toContain('can be 3 deep');
  const failed = (await storedSteps(fixture)).filter((part) => part.type === 'step' && part.ok === false);
  expect(failed.map((part) => part.type === 'step' && part.result)).toEqual([
    expect.stringContaining('3 deep'),
    ...Array.from({ length: 4 }, () => expect.stringContaining('30 sub-agents')),
  ]);
});

test('wrong options are refused when it is defined', () => {
  expect(() => subAgent({ name: 'a b', ...describe })).toThrow('not a tool name');
  expect(() => subAgent({ name: 'a', ...describe, tools: [add, add] })).toThrow('Two tools');
});

/** Fails when a person can't see or choose for the tools that only a sub-agent has. */
test("a person's choice applies to the tools of sub-agents", async () => {
  removed.length = 0;
  const child = subAgent({
    name: 'child',
    ...describe,
    model: scripted([ask('remove', { name: 'x' }), 'Ok.']),
    tools: [remove],
  });
  await using fixture = await openLoopAgent([ask('child', { task: 'remove x' }), 'Done.'], { tools: [child] });
  const offered = await (await fixture.call('alice', 'GET', '/tools/offered')).json();
  expect(offered.map(({ name, mode }: { name: string; mode: string }) => [name, mode])).toEqual([
    ['child', 'allow'],
    ['remove', 'ask'],
  ]);
  await fixture.call('alice', 'PUT', '/tools/remove', { mode: 'allow' });
  expect((await fixture.say('Go')).text).toBe('Done.');
  expect(removed).toEqual(['x']);
});

/** Fails when a tool that the organization has switched off runs because a sub-agent has it. */
test("the agent's switch applies to the tools of sub-agents", async () => {
  removed.length = 0;
  const steps = [ask('remove', { name: 'x' }), 'I cannot.'];
  const child = subAgent({
    name: 'child',
    ...describe,
    model: scripted(steps),
    tools: [remove],
    isToolAllowed: () => true,
  });
  await using fixture = await openLoopAgent([ask('child', { task: 'remove x' }), 'Done.'], {
    tools: [child],
    isToolAllowed: ({ name }) => name !== 'remove',
  });
  expect((await fixture.say('Go')).text).toBe('Done.');
  expect(await storedSteps(fixture)).toContainEqual(
    expect.objectContaining({ ok: false, result: `Tool "remove" doesn't exist. Available tools: none.` }),
  );
});
