import { describe, expect, test, vi } from 'vitest';
import { openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import { type Model, type ModelRequest, NO_USAGE } from '../models/model.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';

const QUESTION = 'Hello! I would like to know when the tide is highest at Brest next week, and how high it will be.';

/** A model that answers, and writes titles when it is asked for one. */
function titling(write: (request: ModelRequest, count: number) => Promise<string> | string): Model {
  let count = 0;
  return {
    name: 'm1',
    async *stream(request) {
      const isTitle = request.system?.includes('title of a conversation') === true;
      yield { type: 'text', text: isTitle ? await write(request, ++count) : 'At 07:12, 6.8 m.' };
      yield { type: 'end', reason: 'stop', usage: { ...NO_USAGE, input: 100, output: 10 } };
    },
  };
}

const prices = { models: { m1: { input: 1, output: 10 } } };
const open = (model: Model, options: Parameters<typeof openLoopAgent>[1] = {}) =>
  openLoopAgent(model, { titles: true, prices, ...options });

type LoopAgent = Awaited<ReturnType<typeof open>>;
const chatOf = async ({ call }: LoopAgent, id = 'c1') => await (await call('alice', 'GET', `/chats/${id}`)).json();
const titleOf = async (agent: LoopAgent) => (await chatOf(agent)).title as string;

test('the model writes a title from the first question and answer, once, and its usage counts', async () => {
  const texts: string[] = [];
  await using agent = await open(
    titling(({ messages }) => {
      texts.push(JSON.stringify(messages));
      return '"Highest tides at Brest."\n';
    }),
  );
  await agent.say(QUESTION);
  await vi.waitFor(async () => expect(await titleOf(agent)).toBe('Highest tides at Brest'));
  expect(texts[0]).toContain('the tide is highest at Brest');
  expect(texts[0]).toContain('At 07:12, 6.8 m.');
  await vi.waitFor(() => expect(agent.usage).toHaveLength(2));
  // 100 tokens at $1 and 10 at $10 per million, twice.
  expect((await chatOf(agent)).cost).toBe('0.000400');
  expect(agent.usage[1]).toMatchObject({ chat_id: 'c1', user_id: 'alice', input: 100, output: 10, cost: '0.000200' });
  expect((await (await agent.call('alice', 'GET', '/chats?q=highest%20tides')).json()).length).toBe(1);
  await agent.say('And the week after?');
  await agent.say('And in May?');
  expect(texts).toHaveLength(1);
});

test('a title that a person gives stays, even while the model writes', async () => {
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<string>();
  await using agent = await open(
    titling(() => {
      asked.resolve();
      return answer.promise;
    }),
  );
  await agent.say(QUESTION);
  await asked.promise;
  await agent.call('alice', 'PUT', '/chats/c1', { title: 'Mine' });
  answer.resolve('From the model');
  await vi.waitFor(async () => expect((await chatOf(agent)).cost).toBe('0.000400'));
  expect(await titleOf(agent)).toBe('Mine');
});

test('a chat that was named before its first message is not asked about', async () => {
  const write = vi.fn(() => 'From the model');
  await using agent = await open(titling(write));
  await agent.call('alice', 'PUT', '/chats/c1', { title: 'Mine' });
  await agent.say(QUESTION);
  await agent.say(QUESTION, {}, 'c2');
  await vi.waitFor(async () => expect((await chatOf(agent, 'c2')).title).toBe('From the model'));
  expect(write).toHaveBeenCalledTimes(1);
  expect(await titleOf(agent)).toBe('Mine');
});

describe('the first message stays the title', () => {
  const first = QUESTION.slice(0, 80);

  test('when the model fails, and it is not asked again', async () => {
    const write = vi.fn(() => Promise.reject(new Error('overloaded')));
    await using agent = await open(titling(write));
    await agent.say(QUESTION);
    await vi.waitFor(() => expect(write).toHaveBeenCalledTimes(1));
    await agent.say('And the week after?');
    expect(await titleOf(agent)).toBe(first);
    expect(write).toHaveBeenCalledTimes(1);
  });

  test('without titles: true', async () => {
    const write = vi.fn(() => 'From the model');
    for (const options of [{ titles: false }, { titles: undefined } as object]) {
      await using agent = await open(titling(write), options);
      await agent.say(QUESTION);
      await agent.say('And the week after?');
      expect(await titleOf(agent)).toBe(first);
    }
    expect(write).not.toHaveBeenCalled();
  });

  test('when the budget is used up', async () => {
    const write = vi.fn(() => 'From the model');
    await using agent = await open(titling(write), { budget: { perMonth: { tokens: 110 } } });
    await agent.say(QUESTION);
    await agent.agent.close({ drainMs: 0 });
    expect(write).not.toHaveBeenCalled();
  });

  test('when the agent shuts down meanwhile', async () => {
    const asked = Promise.withResolvers<void>();
    const model = titling(({ signal }) => {
      asked.resolve();
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    await using agent = await open(model);
    await agent.say(QUESTION);
    await asked.promise;
    // Fails by a time-out when the title is waited for.
    await agent.agent.close({ drainMs: 0 });
  });
});

test('titles require a model', async () => {
  await expect(openTestAgent({ titles: true })).rejects.toThrow('titles require a model');
});
