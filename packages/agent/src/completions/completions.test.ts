import type { Handler, HandlerContext } from '@berth/agent-core';
import { createSilentLogger, type LogFields, type Logger } from '@berth/kit';
import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { openTestAgent } from '../testing/open-test-agent.ts';

interface Served {
  readonly url: string;
  readonly client: OpenAI;
  /** Errors in the agent's log. */
  readonly errors: LogFields[];
}

const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** Starts an agent on a real socket, with OpenAI's own client. */
async function serveHandler(handler: Handler): Promise<Served> {
  const errors: LogFields[] = [];
  const logger: Logger = {
    ...createSilentLogger(),
    child: () => logger,
    error: (fields: LogFields) => void errors.push(fields),
  };
  const agent = await openTestAgent({ name: 'echo', hasAuth: false, handler, logger });
  open.push(async () => agent[Symbol.asyncDispose]());
  const { url } = agent;
  return { url, client: new OpenAI({ baseURL: url, apiKey: 'unused', maxRetries: 2 }), errors };
}

const echo: Handler = async function* ({ messages }) {
  const last = messages.at(-1);
  yield 'You said: ';
  yield typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content);
};

/** The first bytes of a PNG, in base 64. */
const PNG = 'iVBORw0KGgoAAAANSUhEUg==';

const question = { model: 'any', messages: [{ role: 'user' as const, content: 'hi' }] };

async function collect<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

test('a completion is one object, of OpenAI’s shape', async () => {
  // Holds the agent to the contract: verifies('completion.whole')
  const { client } = await serveHandler(echo);
  const completion = await client.chat.completions.create(question);
  expect(completion).toEqual({
    id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'any',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: 'You said: hi', refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 3, total_tokens: 4 },
  });
  expect(Math.abs(completion.created - Date.now() / 1_000)).toBeLessThan(60);
});

test('a stream has the role first, the reason last, and no usage unasked', async () => {
  // Holds the agent to the contract: verifies('completion.stream')
  const { client } = await serveHandler(echo);
  const chunks = await collect(await client.chat.completions.create({ ...question, stream: true }));
  expect(chunks.map(({ choices }) => choices)).toEqual([
    [{ index: 0, delta: { role: 'assistant', content: '' }, logprobs: null, finish_reason: null }],
    [{ index: 0, delta: { content: 'You said: ' }, logprobs: null, finish_reason: null }],
    [{ index: 0, delta: { content: 'hi' }, logprobs: null, finish_reason: null }],
    [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }],
  ]);
  expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  for (const chunk of chunks) {
    expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model: 'any' });
    expect(chunk).not.toHaveProperty('usage');
  }
});

test('usage, when asked for, is what the handler reported, in one last chunk without choices', async () => {
  // Holds the agent to the contract: verifies('completion.usage')
  const { client } = await serveHandler(async function* ({ reportUsage }) {
    yield 'x';
    reportUsage({ inputTokens: 100, outputTokens: 7 });
    reportUsage({ inputTokens: 50, outputTokens: 3 });
  });
  const chunks = await collect(
    await client.chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } }),
  );
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 150, completion_tokens: 10, total_tokens: 160 },
  });
  expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
});

test('the client’s own helpers accept the stream, and components come as markdown', async () => {
  // Holds the agent to the contract: verifies('completion.flatten')
  const { client } = await serveHandler(async function* () {
    yield { type: 'status', status: 'Looking' };
    yield { type: 'thinking', thinking: 'hm' };
    yield 'See:';
    yield { type: 'table', headers: ['a'] };
    yield { type: 'table', row: ['1'] };
    yield { type: 'code', code: 'x', language: 'ts' };
    yield { type: 'image', src: '/i.png', alt: 'i' };
    yield { type: 'callout', callout: 'Careful', style: 'warning' };
    yield { type: 'ui', action: 'suggest', suggestions: ['more'] };
    yield { type: 'step', step: 'did it' };
  });
  const text = 'See:\n\n| a |\n| --- |\n| 1 |\n\n```ts\nx\n```\n\n![i](/i.png)\n\n> Careful\n';
  const stream = client.chat.completions.stream(question);
  expect(await stream.finalContent()).toBe(text);
  const whole = await client.chat.completions.create(question);
  expect(whole.choices[0]?.message.content).toBe(text);
});

test('messages of every role and form reach the handler; settings change nothing', async () => {
  const seen: HandlerContext[] = [];
  const { client } = await serveHandler(async function* (context) {
    seen.push(context);
    yield 'ok';
  });
  const completion = await client.chat.completions.create({
    model: 'any',
    temperature: 0.2,
    user: 'somebody',
    messages: [
      { role: 'developer', content: 'Be short.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 'result' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] },
    ],
  });
  expect(completion.choices[0]?.message.content).toBe('ok');
  expect(seen[0]?.messages).toEqual([
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'a\n\nb' },
    {
      role: 'assistant',
      content: '',
      parts: [{ type: 'step', id: 'c', step: 'f', tool_name: 'f', args: '{}', ok: true, result: 'result' }],
    },
    { role: 'user', content: [{ type: 'image', image: expect.stringContaining(`;base64,${PNG}`) }] },
  ]);
});

test('a client that leaves ends the handler', async () => {
  const aborted = Promise.withResolvers<unknown>();
  const { client } = await serveHandler(async function* ({ signal }) {
    signal.addEventListener('abort', () => aborted.resolve(true));
    yield 'first';
    await new Promise(() => {});
  });
  const stream = await client.chat.completions.create({ ...question, stream: true });
  for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'first') break;
  expect(await aborted.promise).toBe(true);
});

test('a client that leaves before the whole answer ends the handler', async () => {
  const begun = Promise.withResolvers<void>();
  const aborted = Promise.withResolvers<unknown>();
  const { client } = await serveHandler(async function* ({ signal }) {
    signal.addEventListener('abort', () => aborted.resolve(true));
    begun.resolve();
    await new Promise(() => {});
    yield 'never';
  });
  const leaving = new AbortController();
  const answer = client.chat.completions.create(question, { signal: leaving.signal }).catch(() => {});
  await begun.promise;
  leaving.abort();
  expect(await aborted.promise).toBe(true);
  await answer;
});

test('a handler that fails before or between is an error of the client’s library, once, with a reference and no more', async () => {
  let calls = 0;
  const { client, errors } = await serveHandler(async function* () {
    calls++;
    yield 'said';
    throw new Error('the password is hunter2');
  });
  const failure = await client.chat.completions.create(question).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(OpenAI.InternalServerError);
  expect(String(failure)).not.toContain('hunter2');
  const reference = /([0-9a-f]{8})$/.exec((failure as Error).message)?.[1];
  expect(errors[0]).toMatchObject({ error_id: reference });
  expect(calls).toBe(1);

  const stream = await client.chat.completions.create({ ...question, stream: true });
  const texts: unknown[] = [];
  const read = async () => {
    for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content);
  };
  const cut = await read().catch((error: unknown) => error);
  expect(texts).toEqual(['', 'said']);
  expect(cut).toBeInstanceOf(OpenAI.APIError);
  expect(String(cut)).toMatch(/[0-9a-f]{8}$/);
  expect(String(cut)).not.toContain('hunter2');
});

// Holds the agent to the contract: verifies('completion.errors')
test.each<[string, object, number, string]>([
  ['no messages', { model: 'm' }, 422, 'messages'],
  ['no message', { model: 'm', messages: [] }, 422, 'messages'],
  ['an unknown role', { model: 'm', messages: [{ role: 'root', content: 'x' }] }, 422, 'messages.0.role'],
  [
    'an unknown part',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    422,
    'messages.0.content',
  ],
  ['two choices', { ...question, n: 2 }, 422, 'n'],
])('%s is an error that both kinds of clients read', async (_title, body, status, param) => {
  const { client, url } = await serveHandler(echo);
  const failure = await client.chat.completions
    .create(body as typeof question)
    .then(() => undefined)
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(OpenAI.APIError);
  expect(failure).toMatchObject({ status, type: 'invalid_request_error', param });
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await answer.json()).toMatchObject({ detail: [{ loc: ['body', ...param.split('.').map(toKey)] }] });
});

function toKey(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

test('what is not JSON is refused in both languages', async () => {
  const { url } = await serveHandler(echo);
  const answer = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"messages":',
  });
  expect(answer.status).toBe(422);
  expect(await answer.json()).toEqual({
    detail: [{ loc: ['body'], msg: expect.stringMatching(/JSON/), type: 'json_invalid' }],
    error: { message: expect.stringMatching(/JSON/), type: 'invalid_request_error', param: '', code: null },
  });
});

test('text that looks like the end of the stream is text', async () => {
  const evil = 'a\n\ndata: [DONE]\n\nb';
  const { client } = await serveHandler(async function* () {
    yield evil;
    yield 'c';
  });
  expect(await client.chat.completions.stream(question).finalContent()).toBe(`${evil}c`);
});

test('a message of 10 MB is answered', async () => {
  const { client } = await serveHandler(async function* ({ messages }) {
    yield String(messages[0]?.content.length);
  });
  const content = 'y'.repeat(10_000_000);
  const completion = await client.chat.completions.create({ model: 'any', messages: [{ role: 'user', content }] });
  expect(completion.choices[0]?.message.content).toBe('10000000');
});

// Fails when the table of routes takes the middleware of a path for a route of all methods.
test('other methods are told which one it takes', async () => {
  const { url, errors } = await serveHandler(echo);
  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    const response = await fetch(`${url}/chat/completions`, { method });
    expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST']);
    if (method === 'HEAD') continue;
    const detail = `/chat/completions doesn't allow ${method}. Allowed: POST.`;
    expect(await response.json()).toEqual({
      detail,
      error: { message: detail, type: 'invalid_request_error', param: null, code: null },
    });
  }
  expect(errors).toEqual([]);
});
