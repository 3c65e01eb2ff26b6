import { createNodeAgentClient, localhostFetch } from '@berth/client/node';
import type { Chat, Frame } from '@berth/contract/agent';
import OpenAI from 'openai';
import { beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../harness/accounts.ts';
import { type AgentCaller, agentToken, callerOf, deployAgent, type FrameEvent, textOf } from '../harness/agents.ts';
import { cli } from '../harness/cli.ts';
import { killProcesses } from '../harness/processes.ts';
import { readLogs } from '../harness/read-logs.ts';
import { hostOf } from '../harness/request.ts';
import { useBerth } from '../harness/use-berth.ts';
import { waitFor } from '../harness/wait-for.ts';

const NAME = 'agent-echo';
const berth = useBerth();
let ada: AgentCaller;
let eve: AgentCaller;
let nobody: AgentCaller;
let adasToken: string;

beforeAll(async () => {
  await deployAgent(berth, NAME, 'agent-echo');
  eve = callerOf(berth, NAME, await agentToken(berth, NAME, { 'X-API-Key': (await createAccount(berth, 'eve')).key }));
  adasToken = await agentToken(berth, NAME);
  ada = callerOf(berth, NAME, adasToken);
  nobody = callerOf(berth, NAME);
}, 180_000);

const frames = (events: readonly FrameEvent[]) => events.map(({ frame }) => frame);
const typesOf = (events: readonly FrameEvent[]) =>
  new Set(frames(events).map((frame) => (frame === '[DONE]' ? frame : frame.type)));
const seqOf = ({ id = '' }: FrameEvent) => Number(id.split(':')[1]);
const says =
  (text: string) =>
  ({ frame }: FrameEvent): boolean =>
    frame !== '[DONE]' && frame.type === 'text' && frame.text.includes(text);
const readChat = async (id: string) => (await ada.call('GET', `/chats/${id}`)).json<Chat>();

describe('a turn', () => {
  it('streams frames with numbers, from the chat id to the end', async () => {
    using turn = await ada.turn('first', 'Hello there');
    expect(turn.status).toBe(200);
    expect(turn.headers).toMatchObject({
      'content-type': expect.stringMatching(/^text\/event-stream/),
      'x-accel-buffering': 'no',
    });
    const events = await turn.finish();
    expect(events[0]?.frame).toEqual({ type: 'chat_id', chat_id: 'first' });
    expect(events.at(-1)).toEqual({ id: undefined, frame: '[DONE]' });
    expect(events.slice(0, -1).map(seqOf)).toEqual(events.slice(0, -1).map((_event, index) => index + 1));
    expect(new Set(events.slice(0, -1).map(({ id }) => id?.split(':')[0])).size).toBe(1);
    expect(textOf(events)).toBe('You said: Hello there');
  });

  it('shows every component, and is read back as their parts', async () => {
    using turn = await ada.turn('components', 'everything');
    const events = await turn.finish();
    const shown = [
      'text',
      'thinking',
      'code',
      'table',
      'callout',
      'image',
      'status',
      'step',
      'tool_call',
      'sources',
      'ui',
    ];
    for (const type of shown) expect(typesOf(events)).toContain(type);
    const { messages, title, cost, run, open } = await readChat('components');
    expect({ title, cost, open, status: run }).toEqual({
      ...{ title: 'everything', cost: '0.000000', open: null, status: 'done' },
    });
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    const parts = messages[1]?.parts ?? [];
    expect(parts.filter(({ type }) => type === 'status')).toEqual([{ type: 'status', status: 'Almost done' }]);
    expect(parts.find(({ type }) => type === 'table')).toMatchObject({
      headers: ['Tide', 'Time', 'Height'],
      rows: [{}, {}],
    });
    expect(parts.find(({ type }) => type === 'code')).toMatchObject({ code: 'const answer = 42;\n', language: 'ts' });
    expect(parts.find((part) => part.type === 'step' && part['id'] === 'read')).toMatchObject({
      ok: true,
      result: '3 lines',
    });
    expect(parts.some(({ type }) => type === 'ui')).toBe(false);
  });

  it('that fails says a reference, which the log explains', async () => {
    using turn = await ada.turn('failing', 'error later');
    const events = await turn.finish();
    const callout = frames(events).find(
      (frame): frame is Frame & { type: 'callout' } => frame !== '[DONE]' && frame.type === 'callout',
    );
    expect(callout?.style).toBe('error');
    const reference = /([0-9a-f]{8})$/.exec(callout?.callout ?? '')?.[1] ?? 'none';
    expect(JSON.stringify(events)).not.toContain('only the log may show it');
    expect(events.at(-1)?.frame).toBe('[DONE]');
    const query = `jsonPayload.error_id="${reference}" AND jsonPayload.level="error"`;
    await waitFor('the log has it', async () => (await readLogs(berth, NAME, { query })).logs.length === 1);
    // Fails when the cause is in a field that the log does not show.
    const { stdout } = await cli(berth, ['logs', NAME, '--reference', reference]);
    expect(stdout).toContain(`a turn failed, reference ${reference}`);
    expect(stdout).toMatch(/only the log may show it[\s\S]*answer\.ts:\d+/);
    expect((await readChat('failing')).messages.at(-1)).toMatchObject({ status: 'failed' });
  });

  it('is one at a time in a chat', async () => {
    using turn = await ada.turn('busy', 'slow 30');
    await turn.until(says('1'));
    const second = await ada.call('POST', '/chat?id=busy', { messages: [{ role: 'user', content: 'too' }] });
    expect(second.status).toBe(409);
    expect(second.headers['retry-after']).toBe('2');
    expect(second.json()).toMatchObject({ error: 'run_in_progress', chat_id: 'busy', detail: expect.any(String) });
    expect((await ada.call('POST', '/chats/busy/stop')).status).toBe(202);
    await turn.finish();
    expect((await ada.call('POST', '/chats/busy/stop')).json()).toMatchObject({ error: 'no_run' });
  });

  it('that is stopped keeps what there is, and ends in order', async () => {
    using turn = await ada.turn('stopped', 'slow 60');
    await turn.until(says('2'));
    const stopped = await ada.call('POST', '/chats/stopped/stop');
    expect([stopped.status, stopped.json()]).toEqual([202, { stopping: true }]);
    expect((await turn.finish()).at(-1)?.frame).toBe('[DONE]');
    const { messages, run } = await readChat('stopped');
    expect(run).toBe('stopped');
    expect(messages.at(-1)).toMatchObject({
      role: 'assistant',
      status: 'stopped',
      content: expect.stringContaining('1 2'),
    });
  });

  it('is found again after a reload, from any frame, with nothing twice', async () => {
    const first = await ada.turn('reloaded', 'slow 4', { detach: true });
    const seen = await first.until(says('2'));
    first[Symbol.dispose]();
    using again = await ada.stream('reloaded', seen.id);
    using whole = await ada.stream('reloaded');
    const [rest, all] = await Promise.all([again.finish(), whole.finish()]);
    expect(textOf(first.events) + textOf(rest)).toBe('1 2 3 4 done.');
    expect(seqOf(rest[0] as FrameEvent)).toBe(seqOf(seen) + 1);
    expect(textOf(all)).toBe('1 2 3 4 done.');
    expect((await readChat('reloaded')).run).toBe('done');
  });

  it('whose connection breaks is canceled, unless it was detached', async () => {
    const turn = await ada.turn('dropped', 'slow 60');
    await turn.until(says('1'));
    turn[Symbol.dispose]();
    const { run } = await waitFor('it has ended', async () => {
      const chat = await readChat('dropped');
      return chat.run !== 'running' && chat;
    });
    expect(run).toBe('interrupted');
  });
});

describe('who is asking', () => {
  it('is proven by a token of the platform, for this agent and in its header', async () => {
    const missing = await nobody.call('POST', '/chat', { messages: [{ role: 'user', content: 'x' }] });
    expect(missing.status).toBe(401);
    expect(missing.headers['www-authenticate']).toMatch(/^Bearer/);
    expect((await nobody.call('GET', `/chats?access_token=${adasToken}`)).status).toBe(401);
    expect((await callerOf(berth, NAME, `${adasToken.slice(0, -4)}AAAA`).call('GET', '/chats')).status).toBe(401);
    expect((await callerOf(berth, NAME, 'a.b.c').call('GET', '/chats')).status).toBe(401);
  });

  it('decides what is there', async () => {
    for (const [method, path] of [
      ['GET', '/chats/first'],
      ['DELETE', '/chats/first'],
      ['POST', '/chats/first/stop'],
      ['GET', '/chats/first/stream'],
    ] as const) {
      const [foreign, random] = await Promise.all([
        eve.call(method, path),
        eve.call(method, path.replace('first', 'never-was')),
      ]);
      expect([foreign.status, foreign.text.replaceAll('first', 'never-was')]).toEqual([random.status, random.text]);
    }
    expect((await eve.call('GET', '/chats')).json()).toEqual([]);
    expect((await ada.call('GET', '/chats/first')).status).toBe(200);
  });
});

describe('what is kept', () => {
  it('chats are listed, renamed, taken back and deleted', async () => {
    using turn = await ada.turn('kept', 'Remember me');
    await turn.finish();
    const put = await ada.call('PUT', '/chats/kept', { title: 'Kept', meta: { colour: 'red' } });
    expect(put.status).toBe(200);
    const listed = (await ada.call('GET', '/chats?q=kept')).json<Chat[]>();
    expect(listed).toMatchObject([{ id: 'kept', title: 'Kept' }]);
    const removed = (await ada.call('DELETE', '/chats/kept')).json();
    expect(removed).toEqual({ ok: true, trash_id: 'chat:kept' });
    const gone = await ada.call('GET', '/chats/kept');
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await ada.call('POST', '/trash/chat:kept/restore')).status).toBe(200);
    expect(await readChat('kept')).toMatchObject({ title: 'Kept', meta: { colour: 'red' } });
  });

  it('files go in and out as they are, and nothing leads out of them', async () => {
    const bytes = Buffer.from([...Array(256).keys()]);
    const put = await ada.call('PUT', '/files/notes/all%20bytes.bin', undefined, { body: bytes });
    expect(put.json()).toEqual({ ok: true, path: 'notes/all bytes.bin' });
    expect((await ada.call('GET', '/files?path=notes')).json()).toMatchObject([
      { name: 'all bytes.bin', type: 'file', size: 256 },
    ]);
    const got = await ada.call('GET', '/files/notes/all%20bytes.bin', undefined, { headers: { range: 'bytes=0-3' } });
    expect([got.status, got.headers['content-range'], got.headers['x-content-type-options']]).toEqual([
      206,
      'bytes 0-3/256',
      'nosniff',
    ]);
    for (const path of ['/files/..%2f..%2fetc%2fpasswd', '/files/.trash/x', '/files/%2e%2e/x']) {
      expect((await ada.call('GET', path)).status).toBe(403);
    }
    const removed = (await ada.call('DELETE', '/files/notes/all%20bytes.bin')).json<{ trash_id: string }>();
    expect((await ada.call('POST', `/trash/${removed.trash_id}/restore`)).json()).toEqual({
      ok: true,
      path: 'notes/all bytes.bin',
    });
  });

  it('app data is compared and set', async () => {
    const put = (value: unknown, version: string) => ada.call('PUT', `/apps/todo/data/list?version=${version}`, value);
    const first = await put(['milk'], '');
    expect(first.status).toBe(200);
    expect((await put(['bread'], '')).status).toBe(412);
    const { version } = (await ada.call('GET', '/apps/todo/data/list')).json<{ version: number }>();
    const races = await Promise.all([1, 2, 3, 4].map((n) => put([n], String(version))));
    expect(races.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
  });

  it('a chat that is shared is read by anybody with its address, until that is taken back', async () => {
    using turn = await ada.turn('shared', 'everything');
    await turn.finish();
    const shared = (await ada.call('POST', '/share', { path: 'chat/shared' })).json<{ token: string; url: string }>();
    const target = `/share/${shared.url.split('/shared/')[1]}/data`;
    const data = await nobody.call('GET', target);
    expect(data.json()).toMatchObject({
      type: 'chat',
      title: 'everything',
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
    expect((await ada.call('DELETE', `/share/${shared.token}`)).status).toBe(200);
    expect((await nobody.call('GET', target)).status).toBe(404);
  });

  it('the choice for a tool is kept', async () => {
    expect((await ada.call('PUT', '/tools/write_file', { mode: 'never' })).status).toBe(200);
    expect((await ada.call('GET', '/tools')).json()).toEqual({ write_file: 'never' });
    expect((await ada.call('DELETE', '/tools/write_file')).status).toBe(200);
    expect((await ada.call('GET', '/tools')).json()).toEqual({});
  });
});

describe('what it says of itself', () => {
  it('is for everybody', async () => {
    expect((await nobody.call('GET', '/config')).json()).toMatchObject({
      title: 'Echo',
      auth: expect.anything(),
      max_upload: 512,
    });
    const picture = await nobody.call('GET', '/og.png');
    expect([picture.status, picture.headers['content-type']]).toEqual([200, 'image/png']);
    for (const path of ['/favicon.svg', '/robots.txt', '/sitemap.xml', '/llms.txt', '/explore', '/examples']) {
      expect((await nobody.call('GET', path)).status, path).toBe(200);
    }
    const page = await nobody.call('GET', '/', undefined, { headers: { accept: 'text/html' } });
    expect(page.headers['content-security-policy']).toBeDefined();
    expect(page.text).toContain('window.__CONFIG__');
  });
});

describe('other clients', () => {
  it('the openai library talks to it unmodified', async () => {
    const openai = new OpenAI({
      baseURL: `http://${hostOf(berth, NAME)}`,
      apiKey: adasToken,
      fetch: localhostFetch,
      maxRetries: 0,
    });
    const messages = [{ role: 'user' as const, content: 'Hi' }];
    const whole = await openai.chat.completions.create({ model: 'any', messages });
    expect(whole.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'You said: Hi' },
    });
    const stream = await openai.chat.completions.create({
      model: 'any',
      messages,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = '';
    let last: OpenAI.ChatCompletionChunk | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? '';
      last = chunk;
    }
    expect(text).toBe('You said: Hi');
    expect(last?.usage?.total_tokens).toBeGreaterThan(0);
    const stranger = new OpenAI({
      baseURL: `http://${hostOf(berth, NAME)}`,
      apiKey: 'wrong',
      fetch: localhostFetch,
      maxRetries: 0,
    });
    await expect(stranger.chat.completions.create({ model: 'any', messages })).rejects.toBeInstanceOf(
      OpenAI.AuthenticationError,
    );
  });

  // Fails when createNodeAgentClient leaves `fetch` to the global one, where the system doesn't resolve *.localhost.
  it('the typed client reaches its address in Node without any option', async () => {
    const agent = createNodeAgentClient({ baseUrl: `http://${hostOf(berth, NAME)}`, token: adasToken });
    expect((await agent.get('/config')).name).toBe(NAME);
  });

  it('berth chat says who you are by itself', async () => {
    const { code, stdout } = await cli(berth, ['chat', NAME, '-m', 'who am i']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^You are /)]);
  });
});

describe('a turn survives', () => {
  it('a redeploy: it goes on to its end on the old revision', { timeout: 120_000 }, async () => {
    using turn = await ada.turn('drained', 'slow 6', { detach: true });
    await turn.until(says('1'));
    const [events] = await Promise.all([turn.finish(), deployAgent(berth, NAME, 'agent-echo')]);
    expect(textOf(events)).toBe('1 2 3 4 5 6 done.');
    expect(events.at(-1)?.frame).toBe('[DONE]');
    expect((await readChat('drained')).run).toBe('done');
  });

  it('a kill -9 of its instance: what was said is kept, and its reader is told', { timeout: 120_000 }, async () => {
    using turn = await ada.turn('killed', 'slow 100', { detach: true });
    const seen = await turn.until(says('3'));
    killProcesses(`K_SERVICE=${NAME}`);
    await turn.finish();
    expect(turn.events.at(-1)?.frame).not.toBe('[DONE]');
    // A request that reaches the instance while it dies is answered 502.
    await waitFor('another instance answers', async () => (await ada.call('GET', '/chats/killed')).status === 200);
    using rest = await ada.stream('killed', seen.id);
    const events = await rest.finish();
    expect(events.at(-1)?.frame).toBe('[DONE]');
    const { messages, run } = await readChat('killed');
    expect(run).toBe('interrupted');
    expect(messages.at(-1)).toMatchObject({ status: 'interrupted', content: expect.stringContaining('1 2') });
    using next = await ada.turn('killed', 'Still there?');
    expect(textOf(await next.finish())).toContain('Still there?');
  });
});
