import type { Handler } from '@berth/agent-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { wipe } from '../approvals/testing/wipe.ts';
import { openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import type { EndReason, Model } from '../models/model.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { LANGCHAIN, LITELLM, type PublishedClient, startClient } from './testing/published-clients.ts';

interface Tested {
  readonly client: PublishedClient;
  readonly hasModels: boolean;
  /** The fields of an error that the client shows, of those of OpenAI's API. */
  error(status: number, type: string, param: string | null): object;
}

const CLIENTS: Readonly<Record<string, Tested>> = {
  'LangChain.js': {
    client: LANGCHAIN,
    hasModels: false,
    error: (status, type, param) => ({ status, type, param }),
  },
  litellm: { client: LITELLM, hasModels: true, error: (status) => ({ status }) },
};

/** A model that ends its answer for this reason. */
const ending = (reason: EndReason): Model => ({
  name: 'ending',
  async *stream() {
    for (const text of ['Half ', 'of it']) yield { type: 'text', text };
    yield { type: 'end', reason, usage: { input: 7, cachedInput: 0, cacheWrite: 0, output: 3 } };
  },
});

const callWeather = { text: 'I ask.', calls: [{ tool: 'weather', args: { city: 'Oslo' }, id: 'call_w' }] };
const calls = [{ name: 'weather', args: { city: 'Oslo' } }];

describe.for(Object.entries(CLIENTS))('%s', ([, { client, hasModels, error: errorOf }]) => {
  const { lacking } = client;
  if (lacking !== undefined) return test('is installed', (context) => context.skip(lacking));

  let running: ReturnType<typeof startClient>;
  beforeAll(() => {
    running = startClient(client);
  });
  afterAll(() => running.end());
  const run = (scenario: string, { url }: { readonly url: string }, key = 'alice') => running.run(scenario, url, key);
  const errorIn = async (...words: Parameters<typeof run>) => ((await run(...words)) as { error: unknown }).error;

  // Fails when the reason or the usage is not where the client looks, whole or in a stream.
  test.for([
    ['stop', 'stop'],
    ['length', 'length'],
    ['refusal', 'content_filter'],
  ] as const)('reads an answer that ends with %s, whole and in pieces', async ([reason, finish]) => {
    await using agent = await openLoopAgent(ending(reason));
    const whole = { text: 'Half of it', calls: [], finish, usage: [7, 3] };
    expect(await run('complete', agent)).toEqual(whole);
    expect(await run('stream', agent)).toEqual({ ...whole, pieces: ['Half ', 'of it'] });
  });

  // Fails when the choice or the results of its tools don't reach the model, or calls are not those of the client's shape.
  test('calls its own tools, and the agent goes on with the results', async () => {
    await using agent = await openLoopAgent([callWeather, 'It rains.', callWeather]);
    expect(await run('tools', agent)).toMatchObject({
      first: { calls, finish: 'tool_calls' },
      last: { text: 'It rains.', calls: [], finish: 'stop' },
    });
    expect(agent.asked.map(({ toolChoice }) => toolChoice)).toEqual([{ tool: 'weather' }, undefined]);
    expect(agent.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', tool: 'weather', text: 'Rain in Oslo' });
    expect(await run('streamTools', agent)).toMatchObject({ text: 'I ask.', calls, finish: 'tool_calls' });
  });

  // Fails when tools that can't be honored are dropped in silence, or the refusal has no reason.
  test('is told why its tools are refused', async () => {
    await using agent = await openTestAgent();
    const error = await errorIn('tools', agent);
    expect(error).toMatchObject(errorOf(422, 'invalid_request_error', 'tools'));
    expect(error).toMatchObject({ message: expect.stringContaining('Leave out tools') });
  });

  // Fails when the format does not reach the model, or its answer comes with other text.
  test('gets a value of its schema', async () => {
    await using agent = await openLoopAgent([{ text: '{"city":"Oslo"}' }]);
    expect(await run('format', agent)).toEqual({ value: { city: 'Oslo' } });
    expect(agent.asked[0]?.responseFormat).toMatchObject({ name: 'place', schema: { required: ['city'] } });
  });

  // Fails when an image is dropped.
  test('shows an image to the model', async () => {
    await using agent = await openLoopAgent(['Seen.']);
    expect(await run('image', agent)).toMatchObject({ text: 'Seen.' });
    const message = agent.asked[0]?.messages[0];
    expect(message?.role === 'user' && message.content).toMatchObject([
      { type: 'text', text: 'Look' },
      { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgoAAAANSUhEUg==' },
    ]);
  });

  if (hasModels) {
    // Fails when the list is not where the client looks: litellm asks the host for /v1/models, whatever the base URL is.
    test('lists the agent as the one model', async () => {
      // Holds the agent to the contract: verifies('completion.models')
      await using agent = await openTestAgent({ name: 'helper' });
      expect(await run('models', agent)).toEqual(['helper']);
    });
  }

  // Fails when a call that waits is asked of the client, which has no such tool, or runs.
  test('shows that a call of the agent waits for approval', async () => {
    const { tool, runs } = wipe();
    await using agent = await openLoopAgent([{ calls: [{ tool: 'wipe', args: { what: 'disk' } }] }], { tools: [tool] });
    const text = '> Waits for approval: Wipe disk\n';
    expect(await run('complete', agent)).toMatchObject({ text, calls: [], finish: 'stop' });
    expect(await run('stream', agent)).toMatchObject({ text, calls: [], finish: 'stop' });
    expect(runs).toEqual([]);
  });

  // Fails when an error reads as an empty answer, or the turn is repeated: its tools may have had effects.
  test('is told that a key is wrong, and that a turn has failed', async () => {
    let turns = 0;
    const handler: Handler = async function* () {
      turns++;
      yield 'First';
      throw new Error('the cause');
    };
    await using agent = await openTestAgent({ handler });
    expect(await errorIn('complete', agent, 'x y')).toMatchObject(errorOf(401, 'authentication_error', null));
    expect(turns).toBe(0);
    for (const [scenario, made] of [
      ['complete', 1],
      ['stream', 2],
    ] as const) {
      const error = await errorIn(scenario, agent);
      expect(error).toMatchObject({ message: expect.stringMatching(/\b[0-9a-f]{8}\b/) });
      expect(turns).toBe(made);
    }
  });
});

// Fails when /v1 is taken off other paths, or a path with it needs no token.
test('/v1 may stand before the paths of OpenAI’s clients', async () => {
  // Holds the agent to the contract: verifies('completion.v1')
  await using agent = await openTestAgent({ name: 'helper' });
  const body = { model: 'any', stream: false, messages: [{ role: 'user', content: 'hi' }] };
  expect(await (await agent.call('alice', 'POST', '/v1/chat/completions', body)).json()).toMatchObject({
    choices: [{ message: { content: 'You said: hi' } }],
  });
  expect(await (await agent.call('alice', 'GET', '/v1/models/helper')).json()).toMatchObject({ id: 'helper' });
  expect((await agent.call('x y', 'GET', '/v1/models')).status).toBe(401);
  expect((await agent.call('alice', 'GET', '/v1/chats')).status).toBe(404);
});
