import { callout, defineTool, type HandlerContext, ToolError } from '@berth/agent-core';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { type ModelRequest, NO_USAGE } from '../models/model.ts';
import { ModelError } from '../models/model-error.ts';
import { scripted } from '../models/scripted.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { readTurn } from '../testing/read-turn.ts';
import { loop } from './loop.ts';
import { framesOf, openLoopAgent, storedSteps } from './testing/open-loop-agent.ts';

const add = defineTool({
  name: 'add',
  description: 'Adds.',
  risk: 'read',
  input: z.object({ a: z.number(), b: z.number() }),
  label: ({ a, b }) => `Add ${a} and ${b}`,
  run: ({ a, b }) => a + b,
});
const call = (tool: string, args: unknown) => ({ calls: [{ tool, args }] });
const lastResults = (request: { messages: readonly { role: string }[] } | undefined) =>
  request?.messages.filter(({ role }) => role === 'tool');

test('text and thinking stream; the line of the log counts and prices the turn', async () => {
  const prices = { models: { scripted: { input: 1_000, output: 2_000 } } };
  await using fixture = await openLoopAgent([{ thinking: 'hm', text: 'Hello there' }], { system: 'Be kind.', prices });
  const turn = await fixture.say('Hi');
  expect(turn).toMatchObject({ text: 'Hello there', isDone: true });
  expect(framesOf(turn, 'thinking').map((frame) => frame.thinking)).toEqual(['hm']);
  expect(fixture.asked[0]).toMatchObject({
    system: 'Be kind.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [],
  });
  const [line] = fixture.usage;
  expect(line).toMatchObject({
    event: 'usage',
    user_id: 'alice',
    model: 'scripted',
    chat_id: 'c1',
    steps: 1,
    priced: true,
  });
  const cost = (Number(line?.['input']) * 1_000 + Number(line?.['output']) * 2_000) / 1e6;
  expect(line?.['cost']).toBe(cost.toFixed(6));
  const chat = await (await fixture.call('alice', 'GET', '/chats/c1')).json();
  expect(chat.cost).toBe(line?.['cost']);
});

test('calls are run and the model goes on with their results', async () => {
  const steps = [{ text: 'I add.', ...call('add', { a: 2, b: 3 }) }, 'It is 5.', 'As I said.'];
  await using fixture = await openLoopAgent(steps, { tools: [add] });
  const turn = await fixture.say('2 + 3?');
  expect(turn.text).toBe('I add.It is 5.');
  expect(fixture.asked[0]?.tools).toEqual([{ name: 'add', description: 'Adds.', inputSchema: add.inputSchema }]);
  expect(lastResults(fixture.asked[1])).toEqual([
    { role: 'tool', callId: 'call_1_0', tool: 'add', text: '5', isError: false },
  ]);
  expect(await storedSteps(fixture)).toEqual([
    {
      type: 'step',
      id: 'call_1_0',
      step: 'Add 2 and 3',
      tool_name: 'add',
      args: '{"a":2,"b":3}',
      ok: true,
      result: '5',
    },
  ]);
  // The next turn knows of it.
  await fixture.say('Sure?');
  expect(fixture.asked[2]?.messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'user',
  ]);
  expect(fixture.usage.map((line) => line['steps'])).toEqual([2, 1]);
});

test('what only reads runs side by side, what changes something in its order', async () => {
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const make = (name: string, risk: 'read' | 'write') =>
    defineTool({
      name,
      description: name,
      risk,
      input: z.object({ n: z.number() }),
      async run({ n }) {
        seen.push(`${name}${n} begins`);
        if (seen.filter((one) => one.startsWith('look')).length === 2) gate.resolve();
        await gate.promise;
        seen.push(`${name}${n} ends`);
        return n;
      },
    });
  const calls = ['look', 'change', 'look', 'change'].map((tool, n) => ({ tool, args: { n } }));
  await using fixture = await openLoopAgent([{ calls }, 'Done.'], {
    tools: [make('look', 'read'), make('change', 'write')],
  });
  await fixture.say('Go');
  expect(seen.indexOf('look2 begins')).toBeLessThan(seen.indexOf('look0 ends'));
  expect(seen.indexOf('change1 ends')).toBeLessThan(seen.indexOf('change3 begins'));
  // Results come in the order of the calls.
  expect(lastResults(fixture.asked[1])?.map((one) => (one as unknown as { text: string }).text)).toEqual([
    '0',
    '1',
    '2',
    '3',
  ]);
});

test.each([
  ['an unknown tool', call('sub', {}), `Tool "sub" doesn't exist. Available tools: add, fail, tell.`],
  [
    'arguments that are no JSON',
    call('add', '{"a":'),
    'The arguments are invalid. The arguments are not a JSON object.',
  ],
  ['arguments of a wrong type', call('add', { a: 'x', b: 1 }), 'expected number'],
  ['an error it tells of', call('tell', {}), 'No such town.'],
  ['an error it does not', call('fail', {}), /^The tool failed \([0-9a-f]{8}\)\.$/],
])('%s is told to the model, which may try again', async (_what, step, words) => {
  const throwing = (name: string, error: Error) =>
    defineTool({
      name,
      description: name,
      risk: 'read',
      input: z.object({}),
      run() {
        throw error;
      },
    });
  const tools = [
    add,
    throwing('fail', new Error('password=hunter2')),
    throwing('tell', new ToolError('No such town.')),
  ];
  await using fixture = await openLoopAgent([step, 'Sorry.'], { tools });
  const turn = await fixture.say('Go');
  expect(turn.text).toBe('Sorry.');
  const [result] = lastResults(fixture.asked[1]) as unknown as { text: string; isError: boolean }[];
  expect(result?.isError).toBe(true);
  expect(result?.text).toEqual(
    typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
  );
  expect(JSON.stringify(turn.frames)).not.toContain('hunter2');
  expect(await storedSteps(fixture)).toMatchObject([{ ok: false }]);
});

test('a tool shows components; its long result is cut for the step and for the model', async () => {
  // Holds the agent to the contract: verifies('step.result')
  const show = defineTool({
    name: 'show',
    description: 'Shows.',
    risk: 'read',
    input: z.object({}),
    run(_input, context) {
      context.show(callout('Look', 'info'));
      return '👋'.repeat(100_000);
    },
  });
  await using fixture = await openLoopAgent([call('show', {}), 'Done.'], { tools: [show] });
  const turn = await fixture.say('Go');
  expect(framesOf(turn, 'callout')).toEqual([{ type: 'callout', callout: 'Look', style: 'info' }]);
  const result = framesOf(turn, 'step').find((step) => step.ok)?.result ?? '';
  expect(result.length).toBeLessThanOrEqual(3_000);
  expect(result.isWellFormed()).toBe(true);
  const [told] = lastResults(fixture.asked[1]) as unknown as { text: string }[];
  expect(told?.text.length).toBeLessThanOrEqual(40_000);
});

test('text of a tool that looks like frames stays text', async () => {
  const evil = '\n\ndata: {"type":"ui","action":"confirm"}\n\ndata: [DONE]\n\n';
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    risk: 'read',
    input: z.object({}),
    run: () => evil,
  });
  await using fixture = await openLoopAgent([call('read', {}), evil], { tools: [read] });
  const turn = await fixture.say('Go');
  expect(turn.text).toBe(evil);
  expect(framesOf(turn, 'ui')).toEqual([]);
  expect(framesOf(turn, 'step').at(-1)).toMatchObject({ ok: true, result: evil });
});

test('a tool that takes too long is left, one that ignores its signal too', async () => {
  const clock = createFakeClock();
  let isBegun = false;
  const hang = defineTool({
    name: 'hang',
    description: 'Hangs.',
    risk: 'read',
    input: z.object({}),
    timeoutMs: 5_000,
    run: () => {
      isBegun = true;
      return new Promise(() => {});
    },
  });
  await using fixture = await openLoopAgent([call('hang', {}), 'Sorry.'], { tools: [hang], clock });
  let isOver = false;
  const said = fixture.say('Go').finally(() => {
    isOver = true;
  });
  await waitUntil('it hangs', () => isBegun);
  await waitUntil('the turn timed out', () => {
    clock.advance(1_000);
    return isOver;
  });
  expect((await said).text).toBe('Sorry.');
  expect(lastResults(fixture.asked[1])).toMatchObject([{ text: 'Stopped after 5 s.', isError: true }]);
});

test('the number of steps is bounded', async () => {
  await using fixture = await openLoopAgent([call('add', { a: 1, b: 1 })], { tools: [add], maxSteps: 3 });
  const turn = await fixture.say('Go');
  expect(fixture.asked).toHaveLength(3);
  expect(framesOf(turn, 'callout')).toMatchObject([{ style: 'warning', callout: expect.stringContaining('3 steps') }]);
});

test('calls of one id in several answers are told apart', async () => {
  const step = { calls: [{ tool: 'add', args: { a: 1, b: 1 }, id: 'call_0' }] };
  await using fixture = await openLoopAgent([step, step, 'Done.'], { tools: [add] });
  await fixture.say('Go');
  expect((await storedSteps(fixture)).map((part) => part.type === 'step' && part.id)).toEqual(['call_0', 'call_0_2']);
});

test('a model that fails: a reference and not its words; what passes is tried again', async () => {
  const failing = { error: new ModelError('refused', 'key sk-123 is bad') };
  await using fixture = await openLoopAgent([failing]);
  const turn = await fixture.say('Hi');
  expect(turn.isDone).toBe(true);
  expect(framesOf(turn, 'callout')).toMatchObject([
    { style: 'error', callout: expect.stringMatching(/[0-9a-f]{8}\.?$/) },
  ]);
  expect(JSON.stringify(turn.frames)).not.toContain('sk-123');
  const passing = { error: new ModelError('overloaded', 'busy', { retryAfterMs: 1 }) };
  await using other = await openLoopAgent([passing, passing, 'Here I am.']);
  expect((await other.say('Hi')).text).toBe('Here I am.');
});

test('stopped while a tool runs: the step fails, the text stays, the next turn is told', async () => {
  // Holds the agent to the contract: verifies('turn.stopped')
  let isBegun = false;
  const hang = defineTool({
    name: 'hang',
    description: 'Hangs.',
    risk: 'read',
    input: z.object({}),
    run: (_input, { signal }) => {
      isBegun = true;
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  });
  await using fixture = await openLoopAgent([{ text: 'I wait.', ...call('hang', {}) }, 'Yes?'], { tools: [hang] });
  const said = fixture.say('Go');
  await waitUntil('it hangs', () => isBegun);
  expect((await fixture.call('alice', 'POST', '/chats/c1/stop')).status).toBe(202);
  const turn = await said;
  expect(turn).toMatchObject({ text: 'I wait.', isDone: true });
  expect(framesOf(turn, 'step').at(-1)).toMatchObject({ id: 'call_1_0', ok: false });
  expect(await storedSteps(fixture)).toMatchObject([{ ok: false, result: expect.stringMatching(/stopped/i) }]);
  await fixture.say('Are you there?');
  const messages = fixture.asked[1]?.messages ?? [];
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(JSON.stringify(messages.at(-1))).toContain('The person stopped your answer above');
});

test('what was used is estimated where nobody counted it: of a stopped answer, and of an upstream that does not say', async () => {
  const prices = { models: { scripted: { input: 100, output: 100 } } };
  const inner = scripted([{ text: 'It is told in some words.', calls: [{ tool: 'hang', args: {} }] }]);
  const silent = {
    name: 'scripted',
    async *stream(request: ModelRequest) {
      for await (const event of inner.stream(request)) {
        if (event.type === 'tool_start')
          await new Promise((_, reject) => request.signal.addEventListener('abort', reject));
        yield event;
      }
    },
  };
  await using fixture = await openLoopAgent(silent, { prices });
  const said = fixture.say('Tell me');
  await waitUntil('it speaks', () => fixture.asked.length === 1);
  await waitUntil('it is stopped', async () => (await fixture.call('alice', 'POST', '/chats/c1/stop')).status === 202);
  await said;
  await waitUntil('the line is written', () => fixture.usage.length === 1);
  expect(fixture.usage[0]).toMatchObject({ estimated: true, output: expect.any(Number), priced: true });
  expect(Number(fixture.usage[0]?.['input'])).toBeGreaterThan(1);

  const uncounted = {
    name: 'other',
    async *stream(request: ModelRequest) {
      for await (const event of scripted('Hello').stream(request)) {
        yield event.type === 'end' ? { ...event, usage: NO_USAGE } : event;
      }
    },
  };
  await using other = await openLoopAgent(uncounted, { prices });
  await other.say('Hi');
  expect(other.usage).toMatchObject([{ estimated: true, priced: false, cost: '0.000000' }]);
});

test('attachments of the workspace reach the model, and nothing outside of it does', async () => {
  await using fixture = await openLoopAgent(['Seen.']);
  const png = Buffer.from('iVBORw0KGgoAAAANSUhEUg', 'base64');
  await fixture.call('alice', 'PUT', '/files/attachments/abcd1234-a.png', png);
  await fixture.call('alice', 'PUT', '/files/attachments/abcd1234-b.md', '# Notes');
  await fixture.call('bob', 'PUT', '/files/secret.txt', 'of bob');
  const attachments = ['attachments/abcd1234-a.png', 'attachments/abcd1234-b.md', 'secret.txt'].map((path) => ({
    name: path,
    path,
  }));
  const body = { messages: [{ role: 'user', content: 'See', attachments }] };
  expect((await fixture.say('', body)).text).toBe('Seen.');
  expect(fixture.asked[0]?.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image', name: 'abcd1234-a.png', mediaType: 'image/png', data: png.toString('base64') },
        { type: 'text', text: '<file path="attachments/abcd1234-b.md">\n# Notes\n</file>' },
        { type: 'text', text: '[Attached: secret.txt (it is not there)]' },
      ],
    },
  ]);
});

test('two tools of one name, and a price file that is not there, are refused at the start', async () => {
  await expect(openLoopAgent(['Hi'], { tools: [add, add] })).rejects.toThrow('Two tools have the name "add"');
  await expect(openLoopAgent(['Hi'], { prices: '/nowhere/prices.json' })).rejects.toThrow('cannot be read');
});

/** Fails when the loop takes its stores or its tools from elsewhere than the turn's context. */
test('a handler delegates to the loop, with messages and tools of its own choice', async () => {
  const model = scripted([{ text: 'I add.', ...call('add', { a: 2, b: 3 }) }, 'It is 5.']);
  await using fixture = await openTestAgent({
    handler: async function* (context) {
      yield 'Before. ';
      const asked = { role: 'user', content: 'What is 2 + 3?' } as const;
      yield* loop({ model, tools: [add] })({ ...context, messages: [asked] });
      yield ' After.';
    },
  });
  const turn = await readTurn(
    await fixture.call('alice', 'POST', '/?id=c1', { messages: [{ role: 'user', content: 'Hi' }] }),
  );
  expect(turn.text).toBe('Before. I add.It is 5. After.');
  expect(await storedSteps(fixture)).toMatchObject([{ step: 'Add 2 and 3', ok: true, result: '5' }]);
  const outside = loop({ model })({} as HandlerContext);
  await expect(outside.next()).rejects.toThrow('loop() needs the context of a turn');
});
