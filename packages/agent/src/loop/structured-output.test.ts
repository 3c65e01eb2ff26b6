import { defineTool } from '@berth/agent-core';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { scripted } from '../models/scripted.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { loop } from './loop.ts';
import { outputFormat } from './output-format.ts';
import { openLoopAgent } from './testing/open-loop-agent.ts';

const City = z.object({ name: z.string(), people: z.number().int() });
const lookUp = defineTool({
  name: 'look_up',
  description: 'Looks up.',
  risk: 'read',
  input: z.object({ name: z.string() }),
  run: () => '2,100,000',
});
const alice = { id: 'alice' };
const PARIS = { name: 'Paris', people: 2_100_000 };
const paris = JSON.stringify(PARIS);
const lookUpCall = { tool: 'look_up', args: { name: 'Paris' } };
const answerCall = (args: unknown) => ({ calls: [{ tool: 'final_answer', args }] });
const byTool = (steps: Parameters<typeof scripted>[0]) => scripted(steps, { hasResponseFormat: false });

/** Fails when the format stays out of the request, the value is not validated, or words stand beside the JSON. */
test('a model with response formats answers in the form, after its tool calls', async () => {
  const steps = [{ text: 'I look it up.', calls: [lookUpCall] }, `\`\`\`json\n${paris}\n\`\`\``];
  await using fixture = await openLoopAgent(steps, { tools: [lookUp] });
  const run = await fixture.agent.run({ user: alice, message: 'Paris?', output: City });
  const { output, text, status } = await run.result;
  expectTypeOf(output).toEqualTypeOf<{ name: string; people: number } | undefined>();
  expect([status, output, text]).toEqual(['done', PARIS, paris]);
  expect(fixture.asked[0]?.responseFormat).toMatchObject({
    isStrict: true,
    schema: { required: ['name', 'people'], additionalProperties: false },
  });
  expect(fixture.asked[0]?.tools.map(({ name }) => name)).toEqual(['look_up']);
});

/** Fails when the tool's call is shown as a step, or its arguments are not the answer. */
test('another model answers by a tool, which nobody sees', async () => {
  const steps = [{ calls: [lookUpCall, ...answerCall({}).calls] }, answerCall(PARIS)];
  await using fixture = await openLoopAgent(byTool(steps), { tools: [lookUp], output: City });
  const run = await fixture.agent.run({ user: alice, message: 'Paris?' });
  const { output, text, parts } = await run.result;
  expect([output, text]).toEqual([PARIS, paris]);
  expect(parts.map((part) => (part.type === 'step' ? part.tool_name : part.type))).toEqual(['look_up', 'text']);
  expect(fixture.asked[0]?.tools.map(({ name }) => name)).toEqual(['look_up', 'final_answer']);
  expect(fixture.asked[0]?.toolChoice).toBeUndefined();
  // It must not answer before it has read the results of the calls beside it.
  expect(fixture.asked[1]?.messages.filter(({ role }) => role === 'tool')).toMatchObject([
    { text: '2,100,000', isError: false },
    { tool: 'final_answer', isError: true },
  ]);
});

/** Fails when nothing is repaired, the model is not told what is wrong, or it may answer in words again. */
test.each([
  ['its text', (steps: readonly unknown[]) => scripted(steps.map((one) => `${JSON.stringify(one)}\n`))],
  ['a tool', (steps: readonly unknown[]) => byTool(steps.map(answerCall))],
])('an answer by %s that does not match is repaired once', async (_name, modelOf) => {
  const wrong = { name: 'Paris', people: 'many' };
  await using fixture = await openLoopAgent(modelOf([wrong, PARIS]), { tools: [lookUp], output: City });
  const run = await fixture.agent.run({ user: alice, message: 'Paris?' });
  expect(await run.result).toMatchObject({ status: 'done', output: PARIS, text: paris });
  expect(JSON.stringify(fixture.asked[1]?.messages.at(-1))).toContain('expected number');
  expect(fixture.asked[1]?.toolChoice).toEqual(_name === 'a tool' ? { tool: 'final_answer' } : 'none');
  await using failing = await openLoopAgent(modelOf([wrong]), { output: City });
  const failed = await (await failing.agent.run({ user: alice, message: 'Paris?' })).result;
  expect(failed).toMatchObject({ status: 'failed', error: expect.any(String) });
  expect([failed.output, failing.asked.length]).toEqual([undefined, 2]);
});

/** Fails when words of a model without response formats are taken for the answer, or the turn ends with them. */
test('a model that answers in words is made to call the tool', async () => {
  await using fixture = await openLoopAgent(byTool(['It is Paris.', answerCall(PARIS)]), { output: City });
  const { output, text } = await (await fixture.agent.run({ user: alice, message: 'Which?' })).result;
  expect([output, text]).toEqual([PARIS, paris]);
});

/** Fails when a handler can't get the value, shows what it generated, or its own result stays out of the run's. */
test('a handler delegates for a value, and returns one', async () => {
  await using fixture = await openTestAgent({
    async *handler(context) {
      const { output } = await loop({ model: scripted(paris), output: City }).generate(context);
      expectTypeOf(output).toEqualTypeOf<{ name: string; people: number } | undefined>();
      yield 'Well: ';
      yield* loop({ model: scripted('words') })(context);
      return { output: { name: `${output?.name}!`, people: 1, asked: context.turn.output?.name } };
    },
  });
  const run = await fixture.agent.run({ user: alice, message: 'Paris?', output: City });
  const { output, text, usage } = await run.result;
  expect(output).toEqual({ name: 'Paris!', people: 1, asked: 'answer' });
  expect([text, usage.calls]).toEqual(['Well: words', 2]);
});

/** Fails when a schema that upstreams refuse as strict is sent as strict, or one that they accept is not. */
test('a form is strict when all of its properties are required', () => {
  const strict = (type: z.ZodType) => outputFormat(type).isStrict;
  expect(strict(z.object({ list: z.array(z.object({ a: z.string().nullable() })) }))).toBe(true);
  expect(strict(z.object({ list: z.array(z.object({ a: z.string().optional() })) }))).toBe(false);
  expect(strict(z.object({ properties: z.object({ type: z.string() }) }))).toBe(true);
  expect(strict(z.object({ any: z.record(z.string(), z.string()) }))).toBe(false);
  expect(() => outputFormat(z.array(z.string()))).toThrow('z.object');
});

/** Fails when an approval is asked for that no one sees, and a key for it stays. */
test('what nobody watches asks nobody', async () => {
  const wipe = defineTool({
    ...lookUp,
    name: 'wipe',
    description: 'Wipes.',
    risk: 'destructive',
    input: z.object({}),
    run: () => '',
  });
  const quiet = loop({ model: scripted({ calls: [{ tool: 'wipe', args: {} }] }), tools: [wipe] });
  await using fixture = await openTestAgent({
    async *handler(context) {
      yield await quiet.generate(context).then(
        ({ text }) => text,
        (error: Error) => error.message,
      );
    },
  });
  const { text } = await (await fixture.agent.run({ user: alice, chatId: 'c1', message: 'Go' })).result;
  expect(text).toContain('asks for approval');
  expect(await (await fixture.call('alice', 'GET', '/chats/c1/approvals')).json()).toEqual([]);
});
