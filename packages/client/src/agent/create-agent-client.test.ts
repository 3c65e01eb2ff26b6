import type { Frame } from '@berth/contract/agent';
import { expect, it } from 'vitest';
import { answerJson, collect, createScriptedClock, createScriptedServer, type Handler } from '../testing/index.ts';
import { createAgentClient } from './create-agent-client.ts';

const chatId = { type: 'chat_id', chat_id: 'c1' } as const;
const text = (value: string): Frame => ({ type: 'text', text: value });
const ping: Frame = { type: 'ping' };
/** Writes frames as the agent does: a ping has no id. */
const events = (first: number, frames: readonly Frame[]) => {
  let seq = first;
  return frames
    .map((frame) => `${frame === ping ? '' : `id: r1:${seq++}\n`}data: ${JSON.stringify(frame)}\n\n`)
    .join('');
};

/** Says frames from number `first` on, then ends the turn or breaks. */
const say =
  (then: 'ends' | 'breaks', first: number, ...frames: Frame[]): Handler =>
  ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(events(first, frames), () => {
      if (then === 'breaks') response.destroy();
      else response.end('data: [DONE]\n\n');
    });
  };

const connect = (baseUrl: string, token?: string) =>
  createAgentClient({ baseUrl, token, clock: createScriptedClock() });
const request = { messages: [{ role: 'user' as const, content: 'hi' }] };

it('sends a turn with its token, and leaves pings out', async () => {
  await using server = await createScriptedServer();
  let body: unknown;
  server.on('POST /chat', async (exchange) => {
    body = await exchange.json();
    await say('ends', 1, chatId, ping, text('a\n\ndata: [DONE]'))(exchange);
  });
  const frames = await collect(connect(server.url, 'tok').sendTurn('c 1', { ...request, approvals: ['k'] }));
  expect(frames).toEqual([chatId, text('a\n\ndata: [DONE]')]);
  expect(server.requests).toEqual(['POST /chat?id=c%201']);
  expect(server.headers[0]?.authorization).toBe('Bearer tok');
  expect(body).toEqual({ ...request, approvals: ['k'], detach: true });
});

it('goes on where a connection broke, and never sends the message twice', async () => {
  await using server = await createScriptedServer({
    'POST /chat': say('breaks', 1, chatId, text('one')),
  });
  const breaks = [
    say('breaks', 3, text('two')),
    answerJson(503, { detail: 'restarting' }),
    say('ends', 4, text('three')),
  ];
  server.on('GET /chats/c1/stream', (exchange) => breaks.shift()?.(exchange));
  const heard: string[] = [];
  const frames = await collect(
    connect(server.url).sendTurn('c1', request, {
      onLost: () => heard.push('lost'),
      onFound: () => heard.push('found'),
    }),
  );
  expect(frames).toEqual([chatId, text('one'), text('two'), text('three')]);
  expect(heard).toEqual(['lost', 'found']);
  expect(server.requests).toEqual([
    'POST /chat?id=c1',
    'GET /chats/c1/stream?after=r1%3A2',
    'GET /chats/c1/stream?after=r1%3A3',
    'GET /chats/c1/stream?after=r1%3A3',
  ]);
});

// Fails when a ping counts as a frame: the answer of a slow tool is then dropped and begun again, or a frame comes twice.
it('keeps its place in a turn through pings', async () => {
  await using server = await createScriptedServer({
    'POST /chat': say('breaks', 1, chatId, text('one'), ping, ping),
  });
  const rest = [say('breaks', 3, ping), say('ends', 3, ping, text('two'))];
  server.on('GET /chats/c1/stream', (exchange) => rest.shift()?.(exchange));
  const heard: unknown[] = [];
  const turn = connect(server.url).sendTurn('c1', request, { onStartOver: () => heard.push('again') });
  expect(await collect(turn)).toEqual([chatId, text('one'), text('two')]);
  expect(heard).toEqual([]);
  expect(server.requests.slice(1)).toEqual(Array(2).fill('GET /chats/c1/stream?after=r1%3A2'));
});

// Fails when the reader isn't told, or is told although the frames go on.
it('says when the answer comes again from its first frame', async () => {
  await using server = await createScriptedServer({
    'POST /chat': say('breaks', 1, chatId, text('one'), text('lost')),
  });
  const taken =
    (first: number, ...frames: Frame[]): Handler =>
    ({ response }) => {
      const again = frames.map((frame, index) => `id: r1~2:${first + index}\ndata: ${JSON.stringify(frame)}\n\n`);
      response.end(`${again.join('')}data: [DONE]\n\n`);
    };
  server.on('GET /chats/c1/stream', taken(1, chatId, text('one'), text('two')));
  const heard: unknown[] = [];
  for await (const frame of connect(server.url).sendTurn('c1', request, { onStartOver: () => heard.push('again') })) {
    heard.push(frame);
  }
  expect(heard).toEqual([chatId, text('one'), text('lost'), 'again', chatId, text('one'), text('two')]);
  server.on('POST /chat', say('breaks', 1, chatId, text('one')));
  server.on('GET /chats/c1/stream', taken(3, text('two')));
  heard.length = 0;
  await collect(connect(server.url).sendTurn('c1', request, { onStartOver: () => heard.push('again') }));
  expect(heard).toEqual([]);
});

it('says so when a broken turn cannot be taken up', async () => {
  await using server = await createScriptedServer({
    'POST /chat': say('breaks', 1, chatId),
    'GET /chats/c1/stream': answerJson(404, { error: 'no_run', detail: 'nothing runs' }),
  });
  await expect(collect(connect(server.url).sendTurn('c1', request))).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('the run has finished'),
  });
});

it('fails with what the agent answers, and with the reason of its signal', async () => {
  await using server = await createScriptedServer({
    'POST /chat': answerJson(409, { error: 'run_in_progress', chat_id: 'c1', detail: 'It is answering.' }),
  });
  const client = connect(server.url);
  await expect(collect(client.sendTurn('c1', request))).rejects.toMatchObject({ message: 'It is answering.' });
  server.on('POST /chat', ({ response }) => void response.writeHead(200).write(events(1, [chatId])));
  const leave = new AbortController();
  const left = new Error('left');
  const turn = client.sendTurn('c1', request, { signal: leave.signal });
  expect((await turn.next()).value).toEqual(chatId);
  leave.abort(left);
  await expect(turn.next()).rejects.toBe(left);
});

it('stops, decides and reads a chat', async () => {
  await using server = await createScriptedServer({
    'POST /chats/c1/stop': answerJson(202, { stopping: true }),
    'POST /chats/c2/stop': answerJson(404, { error: 'no_run', detail: 'nothing runs' }),
    'POST /chats/c1/approvals/k': answerJson(200, { ok: true }),
    'GET /tools/offered': answerJson(200, [{ name: 'wipe' }]),
    'GET /chats/c1': answerJson(200, { id: 'c1', messages: [] }),
    'GET /chats/c2': ({ response }) => void response.writeHead(204).end(),
  });
  const client = connect(server.url);
  expect([await client.stopTurn('c1'), await client.stopTurn('c2')]).toEqual([true, false]);
  await client.post('/chats/{id}/approvals/{key}', {
    params: { path: { id: 'c1', key: 'k' } },
    body: { decision: 'always' },
  });
  expect(await client.get('/tools/offered')).toEqual([{ name: 'wipe' }]);
  expect(await client.get('/chats/{id}', { params: { path: { id: 'c1' } } })).toMatchObject({ id: 'c1' });
  expect(await client.get('/chats/{id}', { params: { path: { id: 'c2' } } })).toBeUndefined();
});

it('works in the workspace that it is told, and goes to another', async () => {
  await using server = await createScriptedServer({
    'GET /workspaces': answerJson(200, [{ id: 't-1' }]),
    'GET /chats/c1': answerJson(200, { id: 'c1', messages: [] }),
  });
  const client = connect(server.url, 'tok');
  expect(await client.get('/workspaces')).toEqual([{ id: 't-1' }]);
  for (const id of ['t-1', 'u-ann', 'u-zo\u00eb 😀%'])
    await client.inWorkspace(id).get('/chats/{id}', { params: { path: { id: 'c1' } } });
  expect(server.headers.map((headers) => headers['x-workspace'])).toEqual([
    ...[undefined, 't-1', 'u-ann', 'u-zo%C3%AB%20%F0%9F%98%80%25'],
  ]);
  expect(new Set(server.headers.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer tok']));
});
