import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createApp, createOutbound, defineTool } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { createIdSource, createSilentLogger, createSystemClock } from '@berth/kit';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { wipe } from '../approvals/testing/wipe.ts';
import { type LoopAgent, openLoopAgent } from '../loop/testing/open-loop-agent.ts';
import type { EndReason, Model } from '../models/model.ts';
import { openTestAgent } from '../testing/open-test-agent.ts';
import { type CompletionRouteDeps, registerCompletionRoutes } from './register-completion-routes.ts';

/** The clients are the published ones, unmodified. */
const openai = ({ url }: { readonly url: string }, token = 'alice') =>
  new OpenAI({ baseURL: url, apiKey: token, maxRetries: 0 });
const aiSdk = ({ url }: { readonly url: string }, token = 'alice') =>
  createOpenAICompatible({ name: 'agent', baseURL: url, apiKey: token, supportsStructuredOutputs: true })('any');

const ask = (content: OpenAI.ChatCompletionUserMessageParam['content'] = 'hi') => ({
  model: 'any',
  messages: [{ role: 'user' as const, content }],
});

/** A model that ends its answer for this reason. */
const ending = (reason: EndReason, text = 'Half'): Model => ({
  name: 'ending',
  async *stream() {
    if (text !== '') yield { type: 'text', text };
    yield { type: 'end', reason, usage: { input: 1, cachedInput: 0, cacheWrite: 0, output: 1 } };
  },
});

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};
const callWeather = { text: 'I ask.', calls: [{ tool: 'weather', args: { city: 'Oslo' }, id: 'call_w' }] };

// Fails when the reason is always `stop`, or when the reason is said in the text too.
test.each([
  ['stop', 'stop', 'stop'],
  ['length', 'length', 'length'],
  ['refusal', 'content_filter', 'content-filter'],
] as const)('an answer that ends with %s says so to every client', async (reason, finish, sdkFinish) => {
  // Holds the agent to the contract: verifies('completion.finish')
  await using agent = await openLoopAgent(ending(reason));
  const whole = await openai(agent).chat.completions.create(ask());
  expect(whole.choices[0]).toMatchObject({ finish_reason: finish, message: { content: 'Half' } });
  const stream = await openai(agent).chat.completions.stream(ask()).finalChatCompletion();
  expect(stream.choices[0]?.finish_reason).toBe(finish);
  const streamed = streamText({ model: aiSdk(agent), prompt: 'hi' });
  expect([await streamed.finishReason, await streamed.text]).toEqual([sdkFinish, 'Half']);
});

test('a client’s own tools are called by it, and the agent goes on with the results', async () => {
  // Holds the agent to the contract: verifies('completion.tools'). Fails when the tools are not offered, the agent runs them, or the
  // results do not come back to the model as results of the same calls.
  await using agent = await openLoopAgent([callWeather, 'It rains.']);
  const runner = openai(agent).chat.completions.runTools({
    ...ask('Weather in Oslo?'),
    tools: [
      {
        type: 'function',
        function: {
          ...weather.function,
          parse: JSON.parse,
          function: ({ city }: { city: string }) => `Rain in ${city}`,
        },
      },
    ],
  });
  expect(await runner.finalContent()).toBe('It rains.');
  expect(agent.asked[0]?.tools).toMatchObject([{ name: 'weather', inputSchema: weather.function.parameters }]);
  const [, call, result] = agent.asked[1]?.messages ?? [];
  expect(call).toMatchObject({ content: [{ text: 'I ask.' }, { tool: 'weather', args: '{"city":"Oslo"}' }] });
  expect(result).toMatchObject({ role: 'tool', tool: 'weather', text: 'Rain in Oslo', isError: false });

  await using other = await openLoopAgent([callWeather, 'It rains.']);
  const { text, steps } = await generateText({
    model: aiSdk(other),
    prompt: 'Weather in Oslo?',
    tools: {
      weather: tool({
        inputSchema: z.object({ city: z.string() }),
        execute: async ({ city }: { city: string }) => `Rain in ${city}`,
      }),
    },
    stopWhen: stepCountIs(3),
  });
  expect([text, steps.map(({ finishReason }) => finishReason)]).toEqual(['It rains.', ['tool-calls', 'stop']]);
});

test('a call of the agent’s own tool beside one of the client’s runs, and the client gets its call alone', async () => {
  // Fails when the client is asked to run a tool that it does not have.
  const runs: unknown[] = [];
  const look = defineTool({
    ...{ name: 'look', description: 'Looks.', risk: 'read', input: z.object({}) },
    run: (input) => void runs.push(input),
  });
  const both = { calls: [...callWeather.calls, { tool: 'look', args: {} }] };
  await using agent = await openLoopAgent([both, 'Done.'], { tools: [look] });
  const { choices } = await openai(agent).chat.completions.create({ ...ask(), tools: [weather] });
  expect(choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: null,
      tool_calls: [{ id: 'call_w', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
    },
  });
  expect(runs).toEqual([{}]);
});

// Fails when what can't be honored is ignored.
test.each([
  ['tools of an agent with a handler', false, { tools: [weather] }, 'tools'],
  [
    'a tool with a name of the agent’s own',
    true,
    { tools: [{ ...weather, function: { name: 'wipe' } }] },
    'tools.0.function.name',
  ],
  [
    'a choice of no tool',
    true,
    { tools: [weather], tool_choice: { type: 'function', function: { name: 'x' } } },
    'tool_choice',
  ],
  ['a call that must be and can’t', true, { tool_choice: 'required' }, 'tool_choice'],
  ['functions', true, { functions: [{ name: 'f' }] }, 'functions'],
  ['a tool of another type', true, { tools: [{ type: 'web_search' }] }, 'tools.0.type'],
  [
    'a schema of a list',
    true,
    { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'array' } } } },
    'response_format.json_schema.schema',
  ],
  [
    'an image that is none',
    true,
    ask([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }]),
    'messages.0.content.0.image_url.url',
  ],
  [
    'a private image',
    true,
    ask([{ type: 'image_url', image_url: { url: 'http://127.0.0.1/x.png' } }]),
    'messages.0.content.0.image_url.url',
  ],
  [
    'a result of no call',
    true,
    { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] },
    'messages.0.tool_call_id',
  ],
])('%s: refused, and the field is named', async (_title, isLoop, body, param) => {
  // Holds the agent to the contract: verifies('completion.refused')
  await using agent = isLoop ? await openLoopAgent(['Hi'], { tools: [wipe().tool] }) : await openTestAgent();
  const failure = await openai(agent)
    .chat.completions.create({ ...ask(), ...body } as ReturnType<typeof ask>)
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ status: 422, type: 'invalid_request_error', param });
});

test('tool_choice is followed', async () => {
  // Fails when `none` offers the tools, or a named one is not required of the model.
  await using agent = await openLoopAgent([callWeather]);
  const create = (tool_choice: OpenAI.ChatCompletionToolChoiceOption) =>
    openai(agent).chat.completions.create({ ...ask(), tools: [weather], tool_choice });
  await create({ type: 'function', function: { name: 'weather' } });
  await create('required');
  await create('none').catch(() => {});
  expect(agent.asked.slice(0, 3).map(({ toolChoice, tools }) => [toolChoice, tools.length])).toEqual([
    [{ tool: 'weather' }, 1],
    ['required', 1],
    [undefined, 0],
  ]);
});

const FORM = {
  type: 'json_schema' as const,
  json_schema: {
    name: 'city',
    schema: {
      type: 'object',
      properties: { name: { type: 'string' }, pattern: { type: 'integer' } },
      required: ['name'],
    },
  },
};

test('response_format is followed, by models that have it and by others', async () => {
  // Holds the agent to the contract: verifies('completion.format'). Fails when the format does not reach the model, when text is
  // added to the JSON, or when an answer of another form passes.
  const create = (agent: LoopAgent, response_format: OpenAI.ChatCompletionCreateParams['response_format']) =>
    openai(agent).chat.completions.create({ ...ask(), ...(response_format && { response_format }) });
  const answer = '{"name":"Oslo","pattern":1}';
  const native = (text: string): Model => ({ ...ending('stop', text), hasResponseFormat: true });
  await using follows = await openLoopAgent(native(answer));
  expect((await create(follows, FORM)).choices[0]?.message.content).toBe(answer);
  expect(follows.asked[0]?.responseFormat).toMatchObject({ name: 'city', schema: FORM.json_schema.schema });
  expect((await create(follows, { type: 'json_object' })).choices[0]?.message.content).toBe(answer);
  await using byTool = await openLoopAgent([{ calls: [{ tool: 'final_answer', args: { name: 'Oslo' } }] }]);
  expect((await create(byTool, FORM)).choices[0]?.message.content).toBe('{"name":"Oslo"}');
  await using wrong = await openLoopAgent(native('{"name":7}'));
  await expect(create(wrong, FORM)).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  // What there is of an answer that is too long.
  await using long = await openLoopAgent({ ...ending('length', '{"name":"Os'), hasResponseFormat: true });
  expect((await create(long, FORM)).choices[0]).toMatchObject({
    finish_reason: 'length',
    message: { content: '{"name":"Os' },
  });
  // A handler of the owner's own is held to it, too.
  await using handler = await openTestAgent({
    handler: async function* () {
      yield 'no JSON';
    },
  });
  await expect(create(handler as LoopAgent, { type: 'json_object' })).rejects.toBeInstanceOf(
    OpenAI.InternalServerError,
  );
});

test('images and files reach the model: inline, from the web and from the workspace', async () => {
  // Holds the agent to the contract: verifies('completion.images'). Fails when one is dropped or replaced by a note.
  const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  const web = createServer((_request, response) => response.setHeader('content-type', 'image/png').end(png));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = web.address() as AddressInfo;
    await using agent = await openLoopAgent(['Seen.'], { outbound: { allowedNetworks: ['127.0.0.1/32'] } });
    await agent.call('alice', 'PUT', '/files/pictures/a.png', new Blob([png]));
    const url = (value: string) => ({ type: 'image_url' as const, image_url: { url: value } });
    const pdf = Buffer.from('%PDF-1.7 x');
    const file_data = `data:application/pdf;base64,${pdf.toString('base64')}`;
    await openai(agent).chat.completions.create(
      ask([
        { type: 'text', text: 'Look' },
        url(`data:image/png;base64,${png.toString('base64')}`),
        url(`http://127.0.0.1:${port}/x.png`),
        url('pictures/a.png'),
        { type: 'file', file: { filename: 'report.pdf', file_data } },
      ]),
    );
    const image = { type: 'image', mediaType: 'image/png', data: png.toString('base64') };
    const [message] = agent.asked[0]?.messages ?? [];
    expect(message?.role === 'user' && message.content).toMatchObject([
      { type: 'text', text: 'Look' },
      image,
      image,
      { ...image, name: 'a.png' },
      { type: 'file', name: 'report.pdf', mediaType: 'application/pdf', data: pdf.toString('base64') },
    ]);
  } finally {
    web.closeAllConnections();
    web.close();
  }
});

test('a call that needs approval is asked for, and runs once when it is approved', async () => {
  // Holds the agent to the contract: verifies('completion.approvals'). Fails when the call runs unasked, twice, or for someone else.
  const { tool: wipes, runs } = wipe();
  const call = { text: 'I wipe.', calls: [{ tool: 'wipe', args: { what: 'disk' } }] };
  await using agent = await openLoopAgent([call, 'Done.', call, 'Well.'], { tools: [wipes] });
  const { chat } = openai(agent);
  type Extended = { approval_requests?: { id: string }[] };
  const first = await chat.completions.create(ask('Wipe'));
  const { message, finish_reason } = first.choices[0] as OpenAI.ChatCompletion.Choice;
  const [request] = (message as Extended).approval_requests ?? [];
  expect([finish_reason, message.content]).toEqual(['stop', 'I wipe.\n\n> Waits for approval: Wipe disk\n']);
  expect(request).toEqual({
    id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}\.[\w-]{32}$/),
    ...{
      type: 'approval_request',
      name: 'wipe',
      arguments: '{"what":"disk"}',
      label: 'Wipe disk',
      risk: 'destructive',
    },
  });
  const decide = (id: string | undefined, approve: boolean, token = 'alice') =>
    openai(agent, token).chat.completions.create({
      ...{ model: 'any', messages: [...ask('Wipe').messages, message] },
      approval_responses: [{ approval_request_id: id, approve }],
    } as unknown as ReturnType<typeof ask>);
  await expect(decide(request?.id, true, 'bob')).rejects.toMatchObject({ status: 404 });
  expect((await decide(request?.id, true)).choices[0]?.message.content).toBe('Done.');
  expect(runs).toEqual([{ what: 'disk' }]);
  expect(agent.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'wiped' });
  await expect(decide(request?.id, true)).rejects.toMatchObject({ status: 404 });
  // In a stream the requests come in the delta, and a refusal is told to the model.
  const streamed = await chat.completions.stream(ask('Wipe')).finalMessage();
  const [again] = (streamed as Extended).approval_requests ?? [];
  expect((await decide(again?.id, false)).choices[0]?.message.content).toBe('Well.');
  expect(JSON.stringify(agent.asked[3]?.messages.at(-1))).toContain('refused');
  expect(runs).toHaveLength(1);
});

test('the models are the agent', async () => {
  // Holds the agent to the contract: verifies('completion.models'). Fails when clients can't list or find it.
  await using agent = await openTestAgent({ name: 'helper' });
  const { models } = openai(agent);
  const model = { id: 'helper', object: 'model', created: expect.any(Number), owned_by: 'berth' };
  expect((await models.list()).data).toEqual([model]);
  expect(await models.retrieve('helper')).toEqual(model);
  await expect(models.retrieve('gpt-9')).rejects.toMatchObject({ status: 404, type: 'invalid_request_error' });
  await expect(openai(agent, 'x y').models.list()).rejects.toMatchObject({ status: 401 });
});

// Fails when the default is an object, or the header does not count.
test.each([
  [{}, undefined, 'text/event-stream'],
  [{}, '*/*', 'text/event-stream'],
  [{ stream: null }, 'application/json, text/event-stream', 'text/event-stream'],
  [{}, 'application/json', 'application/json'],
  [{ stream: false }, 'text/event-stream', 'application/json'],
  [{ stream: true }, 'application/json', 'text/event-stream'],
])('%j with Accept: %s is answered as %s', async (body, accept, type) => {
  // Holds the agent to the contract: verifies('completion.default')
  await using agent = await openTestAgent();
  const headers = accept === undefined ? {} : { accept };
  const answer = await agent.call('alice', 'POST', '/chat/completions', { ...ask(), ...body }, headers);
  expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
  const text = await answer.text();
  expect(text.endsWith('data: [DONE]\n\n')).toBe(type === 'text/event-stream');
});

// Fails when the stream begins first, so that the client sees 200, or when the error is a reference.
test.each([true, false])('a store that can’t be reached is 503 for stream: %s', async (stream) => {
  // Holds the agent to the contract: verifies('completion.unavailable')
  const deps = {
    ...{ agentName: 'a', handler: () => ['never'], ownTools: {}, dataFolder: '/nowhere', registry: undefined },
    ...{ watch: undefined, clock: createSystemClock(), ids: createIdSource(), logger: createSilentLogger() },
    authenticator: { verify: async () => ({ id: 'alice' }), signIn: null },
    outbound: createOutbound(),
    stores: {
      settings: { toolModes: () => Promise.reject(createError('unavailable', 'The database can’t be reached.')) },
      approvals: {},
    },
  };
  const app = createApp(deps);
  registerCompletionRoutes(app, deps as unknown as CompletionRouteDeps);
  const answer = await app.request('/chat/completions', {
    method: 'POST',
    headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask(), stream }),
  });
  expect([answer.status, (await answer.json()).error]).toMatchObject([503, { type: 'server_error' }]);
});
