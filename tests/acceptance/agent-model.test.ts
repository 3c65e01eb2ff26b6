import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Chat } from '@berth/contract/agent';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AgentCaller, agentToken, callerOf, deployAgent, textOf } from '../harness/agents.ts';
import { readLogs } from '../harness/read-logs.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const NAME = 'agent-model';

/** What the upstream was asked. */
interface Asked {
  readonly model: string;
  readonly stream: boolean;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

const asked: Asked[] = [];
let answer: (response: ServerResponse, body: Asked) => void = () => {};
const upstream = createServer(async (request: IncomingMessage, response) => {
  const body = (await json(request)) as Asked;
  asked.push(body);
  expect(request.headers.authorization).toBe('Bearer sk-test');
  answer(response, body);
});
await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
const { port } = upstream.address() as AddressInfo;
const berth = useBerth({ args: ['--host-ports', String(port)] });
let ada: AgentCaller;

beforeAll(async () => {
  const set = { OPENAI_API_KEY: 'sk-test', MODEL_URL: `http://127.0.0.1:${port}/v1`, MODEL: 'tiny' };
  await deployAgent(berth, NAME, 'agent-model');
  const changed = await berth.post('/v1/env/set', { deployment_name: NAME, set });
  expect(await changed.json()).toMatchObject({ status: 'applied' });
  ada = callerOf(berth, NAME, await agentToken(berth, NAME));
}, 180_000);
afterAll(() => upstream.close());

const chunk = (delta: object, more: object = {}) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more })}\n\n`;
const say =
  (...words: string[]) =>
  (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const word of words) response.write(chunk({ content: word }));
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`);
    response.end(
      `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 } })}\n\ndata: [DONE]\n\n`,
    );
  };

it('answers with what the model says, and tells it all of the chat', async () => {
  answer = say('Hel', 'lo.');
  using first = await ada.turn('talk', 'Hi');
  expect(textOf(await first.finish())).toBe('Hello.');
  answer = say('Again.');
  using second = await ada.turn('talk', 'And now?');
  expect(textOf(await second.finish())).toBe('Again.');
  const { model, stream, messages } = asked.at(-1) as Asked;
  expect([model, stream]).toEqual(['tiny', true]);
  expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
  expect(JSON.stringify(messages)).toContain('Hello.');
});

it('writes one line of usage a turn', async () => {
  answer = say('Counted.');
  using turn = await ada.turn('counted', 'Count');
  await turn.finish();
  const query =
    'jsonPayload.event="usage" AND jsonPayload.chat_id="counted" AND jsonPayload.model="tiny" AND jsonPayload.input=12 AND jsonPayload.level="usage"';
  await waitFor('the line is in the log', async () => (await readLogs(berth, NAME, { query })).logs.length === 1);
});

it('tries again what is passing, and says what is not without the reason', async () => {
  let tries = 0;
  answer = (response, body) => {
    if (tries++ === 0) response.writeHead(429, { 'retry-after': '0' }).end('{"error":{"message":"slow down"}}');
    else say('At last.')(response);
    expect(body.stream).toBe(true);
  };
  using turn = await ada.turn('patient', 'Go');
  expect(textOf(await turn.finish())).toBe('At last.');
  answer = (response) => void response.writeHead(401).end('{"error":{"message":"Incorrect API key sk-test"}}');
  using failing = await ada.turn('refused', 'Go');
  const events = await failing.finish();
  expect(JSON.stringify(events)).not.toContain('sk-test');
  expect(events.some(({ frame }) => frame !== '[DONE]' && frame.type === 'callout' && frame.style === 'error')).toBe(
    true,
  );
  expect(events.at(-1)?.frame).toBe('[DONE]');
});

it('stops the model when the turn is stopped, and keeps what it said', async () => {
  let isClosed = false;
  answer = (response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(chunk({ content: 'I begin' }));
  };
  using turn = await ada.turn('halted', 'Tell me everything');
  await turn.until(({ frame }) => frame !== '[DONE]' && frame.type === 'text');
  expect((await ada.call('POST', '/chats/halted/stop')).status).toBe(202);
  await turn.finish();
  await waitFor('the model is let go', () => isClosed);
  const chat = (await ada.call('GET', '/chats/halted')).json<Chat>();
  expect(chat.messages.at(-1)).toMatchObject({ status: 'stopped', content: expect.stringContaining('I begin') });
});
