import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openTestAgent, type TestAgent } from '../testing/open-test-agent.ts';

const ALICE = { id: 'alice' };

const userMessages = async (agent: TestAgent, chatId: string) => {
  const chat = (await (await agent.call('alice', 'GET', `/chats/${chatId}`)).json()) as {
    messages: { role: string; content: string }[];
  };
  return chat.messages.filter(({ role }) => role === 'user').map(({ content }) => content);
};

// Fails when a later attempt asks again what an earlier one has finished: the person would pay twice, and tools would run twice.
test('a turn that an earlier attempt finished is not asked again', async () => {
  let answers = 0;
  const results: unknown[] = [];
  await using agent = await openTestAgent({
    async *handler() {
      yield `Answer ${++answers}.`;
    },
    prepare(agent) {
      agent.task('report', { retry: { minDelayMs: 0 } }, async (_input, { attempt, run }) => {
        const first = await (await run({ message: 'One' })).result;
        const second = await (await run({ message: 'Two' })).result;
        results.push([attempt, first.text, second.text, second.status]);
        if (attempt === 1) throw new Error('the mail server is away');
      });
    },
  });
  const { tasks } = agent.agent;
  const { id } = await tasks.enqueue('report', undefined, { user: ALICE });
  await waitUntil('the task has ended', async () => (await tasks.get(id)).endedAtMs !== undefined);
  expect(results).toEqual([
    [1, 'Answer 1.', 'Answer 2.', 'done'],
    [2, 'Answer 1.', 'Answer 2.', 'done'],
  ]);
  expect([await userMessages(agent, id), await userMessages(agent, `${id}-2`)]).toEqual([['One'], ['Two']]);
});

// Fails when an attempt starts a second turn beside one that still runs: it would be refused with a conflict.
test('a turn that still runs is waited for, and one that failed is asked again in its chat', async () => {
  const gate = Promise.withResolvers<void>();
  let answers = 0;
  const texts: unknown[] = [];
  await using agent = await openTestAgent({
    async *handler() {
      answers++;
      if (answers === 1) {
        yield 'Slowly.';
        await gate.promise;
      } else if (answers === 2) throw new Error('the model is away');
      else yield 'At last.';
    },
    prepare(agent) {
      agent.task('wait', { retry: { minDelayMs: 0 } }, async (_input, { attempt, run }) => {
        if (attempt === 1) {
          await run({ message: 'One' });
          throw new Error('too early');
        }
        const one = await (await run({ message: 'One' })).result;
        const two = await (await run({ message: 'Two' })).result;
        texts.push([attempt, one.text, two.status]);
        if (two.status !== 'done') throw new Error('not yet');
      });
    },
  });
  const { tasks } = agent.agent;
  const { id } = await tasks.enqueue('wait', undefined, { user: ALICE });
  await waitUntil('the second attempt runs', async () => (await tasks.get(id)).attempt === 2);
  expect(texts).toEqual([]);
  gate.resolve();
  await waitUntil('the task has ended', async () => (await tasks.get(id)).endedAtMs !== undefined);
  expect(texts).toEqual([
    [2, 'Slowly.', 'failed'],
    [3, 'Slowly.', 'done'],
  ]);
  expect([await userMessages(agent, id), await userMessages(agent, `${id}-2`)]).toEqual([['One'], ['Two', 'Two']]);
});

// Fails when a finished turn loses its structured output, or one that can't be read from the text is passed off without it.
test('a turn with a structured output has it in a later attempt too', async () => {
  let answers = 0;
  const outputs: unknown[] = [];
  await using agent = await openTestAgent({
    async *handler({ messages }) {
      answers++;
      const output = { n: answers };
      yield messages.at(-1)?.content === 'Hidden' ? 'It is done.' : JSON.stringify(output);
      return { output };
    },
    prepare(agent) {
      agent.task('count', { retry: { minDelayMs: 0 } }, async (_input, { attempt, run }) => {
        const output = z.object({ n: z.number() });
        for (const message of ['Said', 'Hidden']) outputs.push((await (await run({ message, output })).result).output);
        if (attempt === 1) throw new Error('again');
      });
    },
  });
  const { tasks } = agent.agent;
  const { id } = await tasks.enqueue('count', undefined, { user: ALICE });
  await waitUntil('the task has ended', async () => (await tasks.get(id)).endedAtMs !== undefined);
  expect(outputs).toEqual([{ n: 1 }, { n: 2 }, { n: 1 }, { n: 3 }]);
});
