import { defineTool } from '@berth/agent-core';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fallback } from '../models/fallback.ts';
import { ModelError } from '../models/model-error.ts';
import { scripted } from '../models/scripted.ts';
import { hasToolCall, type StepState } from './step-control.ts';
import { openLoopAgent, storedSteps } from './testing/open-loop-agent.ts';

const note = defineTool({
  name: 'note',
  description: 'Notes.',
  risk: 'read',
  input: z.object({ text: z.string() }),
  run: ({ text }) => `noted ${text}`,
});
const done = { ...note, name: 'done' };
const call = (tool: string, ...texts: readonly string[]) => ({
  calls: texts.map((text) => ({ tool, args: { text } })),
});

/** Fails when the choice is sent with each step, where the model could never answer, or a hidden tool is required. */
test('a choice that makes the model call a tool is of the first step', async () => {
  const options = { tools: [note], toolChoice: { tool: 'note' } } as const;
  await using fixture = await openLoopAgent([call('note', 'a'), 'Done.', call('note', 'b'), 'Done.'], options);
  await fixture.say('Go');
  await fixture.say('Go on', { disabled_tools: ['note'] });
  expect(fixture.asked.map(({ toolChoice }) => toolChoice)).toEqual([
    { tool: 'note' },
    undefined,
    undefined,
    undefined,
  ]);
  await using silent = await openLoopAgent([call('note', 'a'), 'Done.'], { tools: [note], toolChoice: 'none' });
  await silent.say('Go');
  expect(silent.asked.map(({ toolChoice }) => toolChoice)).toEqual(['none', 'none']);
});

/** Fails when a setting outlives its step, or a tool that was not active runs. */
test('prepareStep decides on each step alone', async () => {
  const states: StepState[] = [];
  const strong = scripted([{ ...call('note', 'x'), text: 'Hm. ' }], { name: 'strong' });
  const prices = { models: { scripted: { input: 1, output: 1 }, strong: { input: 100, output: 100 } } };
  await using fixture = await openLoopAgent([call('note', 'a'), 'Done.'], {
    tools: [note, done],
    system: 'Be kind.',
    prices,
    async prepareStep(state) {
      states.push(state);
      if (state.stepNumber !== 1) return undefined;
      return { model: strong, system: 'Be strict.', activeTools: ['done'], toolChoice: 'required' };
    },
  });
  const turn = await fixture.say('Go');
  expect(turn.text).toBe('Hm. Done.');
  expect(states.map(({ steps }) => steps.map(({ toolCalls }) => toolCalls.length))).toEqual([[], [1], [1, 1]]);
  expect(states[2]?.steps[1]).toMatchObject({
    text: 'Hm. ',
    usage: { model: 'strong' },
    toolResults: [{ isError: true }],
  });
  expect(fixture.asked.map(({ system }) => system)).toEqual(['Be kind.', 'Be kind.']);
  expect(await storedSteps(fixture)).toMatchObject([
    { ok: true, result: 'noted a' },
    { ok: false, result: `Tool "note" doesn't exist. Available tools: done.` },
  ]);
  expect(Number(fixture.usage[0]?.['cost'])).toBeCloseTo(
    states[2]?.steps.reduce((sum, { usage }) => sum + (usage.costUsd ?? 0), 0) ?? 0,
    4,
  );
});

/** Fails when the condition is asked before a tool's result, or the turn goes on after it. */
test('a stop condition ends the turn after the step that meets it', async () => {
  const steps = [call('note', 'a'), call('done', 'b'), 'Never said.'];
  await using fixture = await openLoopAgent(steps, { tools: [note, done], stopWhen: hasToolCall('done') });
  const turn = await fixture.say('Go');
  expect([turn.text, fixture.asked.length]).toEqual(['', 2]);
  expect(await storedSteps(fixture)).toMatchObject([{ result: 'noted a' }, { result: 'noted b' }]);
});

/** Fails when more calls than the limit run at once, or the limit is one for reads as well by default. */
test.each([
  [undefined, 4],
  [2, 2],
])('with a limit of %s, %s of four read-only calls run at once', async (maxParallelTools, most) => {
  let running = 0;
  let seen = 0;
  const slow = defineTool({
    name: 'slow',
    description: 'Slow.',
    risk: 'read',
    input: z.object({ text: z.string() }),
    async run() {
      seen = Math.max(seen, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
    },
  });
  await using fixture = await openLoopAgent([call('slow', 'a', 'b', 'c', 'd'), 'Done.'], {
    tools: [slow],
    ...(maxParallelTools !== undefined && { maxParallelTools }),
  });
  await fixture.say('Go');
  expect(seen).toBe(most);
});

/** Fails when the retry policy is ignored, or a model that another one replaced is paid for. */
test('retries are as many as the options say, and a fallback is counted at its own price', async () => {
  const clock = createFakeClock();
  const failing = scripted({ error: new ModelError('overloaded', 'busy') }, { name: 'first' });
  await using once = await openLoopAgent(failing, { maxTries: 1, clock });
  expect((await once.say('Go')).frames).toContainEqual(expect.objectContaining({ type: 'callout', style: 'error' }));
  expect(once.asked).toHaveLength(1);
  const prices = { models: { first: { input: 1_000, output: 1_000 }, second: { input: 1, output: 1 } } };
  const model = fallback([failing, scripted('Here.', { name: 'second' })]);
  await using passed = await openLoopAgent(model, { prices });
  expect((await passed.say('Go')).text).toBe('Here.');
  expect(passed.usage[0]).toMatchObject({ model: 'second', priced: true });
  expect(Number(passed.usage[0]?.['cost'])).toBeLessThan(0.001);
});
