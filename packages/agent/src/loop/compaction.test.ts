import { defineTool } from '@berth/agent-core';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ModelRequest } from '../models/model.ts';
import { ModelError } from '../models/model-error.ts';
import { type ScriptedStep, scripted } from '../models/scripted.ts';
import { SUMMARY_HEAD } from './build-history.ts';
import { estimateTokens } from './context-window.ts';
import { framesOf, openLoopAgent } from './testing/open-loop-agent.ts';

const isSummary = ({ system }: ModelRequest) => system?.startsWith('You summarize') === true;
/** Sums up when that is asked for, else answers. */
const answering =
  (answer: ScriptedStep): ScriptedStep =>
  (request, turn) => {
    if (isSummary(request)) return 'They spoke of boats.';
    return typeof answer === 'function' ? answer(request, turn) : answer;
  };
const long = (about: string, tokens: number) => `${about} ${'word '.repeat((tokens * 3.5) / 5)}`;

test('a conversation that is too long is summed up once, and goes on from there', async () => {
  await using fixture = await openLoopAgent([answering('Well.')], { contextTokens: 4_000 });
  await fixture.say(long('first', 1_500));
  await fixture.say(long('second', 1_000));
  expect(fixture.asked.filter(isSummary)).toHaveLength(0);
  const turn = await fixture.say(long('third', 1_000));
  expect(turn.text).toBe('Well.');
  expect(fixture.asked.filter(isSummary)).toHaveLength(1);
  const [transcript] = fixture.asked.filter(isSummary);
  expect(JSON.stringify(transcript?.messages)).toMatch(/Person: first.*Person: second/);
  expect(JSON.stringify(transcript?.messages)).not.toContain('third');
  // The model sees the summary and the question.
  expect(fixture.asked.at(-1)?.messages).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: `${SUMMARY_HEAD}They spoke of boats.` },
        { type: 'text', text: long('third', 1_000) },
      ],
    },
  ]);
  // It is kept: the next turn is not summed up again, and no one is shown it.
  await fixture.say('fourth');
  expect(fixture.asked.filter(isSummary)).toHaveLength(1);
  expect(fixture.asked.at(-1)?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(JSON.stringify(fixture.asked.at(-1)?.messages)).toContain('They spoke of boats.');
  const chat = await (await fixture.call('alice', 'GET', '/chats/c1')).json();
  expect(JSON.stringify(chat.messages)).not.toContain('They spoke of boats.');
  expect(chat.messages).toHaveLength(8);
  // What it cost to sum up is part of the turn.
  expect(fixture.usage.map((line) => line['steps'])).toEqual([1, 1, 2, 1]);
});

test('old results of tools are cut before anything is summed up', async () => {
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    risk: 'read',
    input: z.object({ n: z.int() }),
    run: ({ n }) => long(`page ${n}`, 800),
  });
  const steps: ScriptedStep[] = [1, 2, 3, 4, 5, 6].map((n) => ({ calls: [{ tool: 'read', args: { n } }] }));
  await using fixture = await openLoopAgent([...steps, 'Read.'], { tools: [read], contextTokens: 5_000 });
  expect((await fixture.say('Read all')).text).toBe('Read.');
  expect(fixture.asked.filter(isSummary)).toHaveLength(0);
  const results = fixture.asked.at(-1)?.messages.filter(({ role }) => role === 'tool') as { text: string }[];
  expect(results.map(({ text }) => text.includes('was left out'))).toEqual([true, true, true, false, false, false]);
  expect(results.every(({ text }, index) => text.startsWith(`page ${index + 1}`))).toBe(true);
});

test('a turn that is too long by itself is summed up in its beginning, and calls keep their results', async () => {
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    risk: 'read',
    input: z.object({ n: z.int() }),
    run: ({ n }) => long(`page ${n}`, 900),
  });
  const steps = [1, 2, 3, 4, 5, 6].map((n) =>
    answering({ text: long('I read', 300), calls: [{ tool: 'read', args: { n } }] }),
  );
  let done = 0;
  const script: ScriptedStep = (request, turn) =>
    answerOf(isSummary(request) ? answering('') : (steps[done++] ?? 'Read.'), request, turn);
  await using fixture = await openLoopAgent([script], { tools: [read], contextTokens: 4_000 });
  expect((await fixture.say('Read all')).text).toMatch(/Read\.$/);
  expect(fixture.asked.some(isSummary)).toBe(true);
  for (const { messages } of fixture.asked.filter((one) => !isSummary(one))) {
    expect(estimateTokens(messages)).toBeLessThan(4_000);
    const calls = messages.flatMap((one) =>
      one.role === 'assistant' ? one.content.flatMap((part) => (part.type === 'tool_call' ? [part.id] : [])) : [],
    );
    const results = messages.flatMap((one) => (one.role === 'tool' ? [one.callId] : []));
    expect(results).toEqual(calls);
    expect(messages[0]?.role).toBe('user');
    expect(JSON.stringify(messages[0])).toContain('Read all');
  }
});

function answerOf(step: ScriptedStep, request: ModelRequest, turn: number) {
  return typeof step === 'function' ? step(request, turn) : step;
}

test('when the upstream says that it is too much, it is asked again with less, and only once', async () => {
  const full = { error: new ModelError('context_full', 'too long') };
  let refusals = 1;
  const script: ScriptedStep = (request) => {
    if (isSummary(request)) return 'They spoke of boats.';
    return request.messages.length > 1 && refusals-- > 0 ? full : 'Well.';
  };
  await using fixture = await openLoopAgent([script]);
  await fixture.say('first');
  expect((await fixture.say('second')).text).toBe('Well.');
  expect(fixture.asked.filter(isSummary)).toHaveLength(1);
  await using hopeless = await openLoopAgent([full]);
  expect(framesOf(await hopeless.say('Hi'), 'callout')).toMatchObject([{ style: 'error' }]);
  expect(hopeless.asked).toHaveLength(2);
});

test.each([
  [1, 0],
  [10, 1],
])('a model that counts %s times what was estimated leads to %s summaries', async (factor, summaries) => {
  const script: ScriptedStep = (request) => {
    if (isSummary(request)) return 'They spoke of boats.';
    const last = request.messages.at(-1);
    return JSON.stringify(last).includes('second') ? { calls: [{ tool: 'read', args: {} }] } : 'Well.';
  };
  const model = scripted([script]);
  const counting = {
    name: 'dense',
    async *stream(request: ModelRequest) {
      for await (const event of model.stream(request)) {
        if (event.type !== 'end') yield event;
        else yield { ...event, usage: { ...event.usage, input: factor * estimateTokens(request.messages) } };
      }
    },
  };
  const read = defineTool({
    name: 'read',
    description: 'Reads.',
    risk: 'read',
    input: z.object({}),
    run: () => long('page', 200),
  });
  await using fixture = await openLoopAgent(counting, { tools: [read], contextTokens: 4_000 });
  await fixture.say(long('first', 300));
  await fixture.say('second');
  expect(fixture.asked.filter(isSummary)).toHaveLength(summaries);
});
