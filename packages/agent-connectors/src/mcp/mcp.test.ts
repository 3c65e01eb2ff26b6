import type { ServerResponse } from 'node:http';
import { createOutbound } from '@berth/agent-core';
import { createSystemClock } from '@berth/kit';
import { expect, test } from 'vitest';
import { callTool } from './call-tool.ts';
import { readLists } from './read-lists.ts';
import { type Answer, type Asked, sendResult, serveMcp, stream } from './testing/serve-mcp.ts';
import { type McpSession, type McpSessionOptions, withMcpSession } from './with-session.ts';

const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });

function ask<Result>(
  url: string,
  work: (session: McpSession) => Promise<Result>,
  options: Partial<McpSessionOptions> = {},
): Promise<Result> {
  const server = { url, authorize: (_url: URL, headers: Headers) => headers.set('authorization', 'Bearer key') };
  return withMcpSession(
    server,
    { outbound, clock: createSystemClock(), timeoutMs: 20_000, maxBytes: 2e6, ...options },
    work,
  );
}

const lists = (url: string, options?: Partial<McpSessionOptions>) => ask(url, readLists, options);
const call = (url: string, options?: Partial<McpSessionOptions>) =>
  ask(url, (session) => callTool(session, { name: 'echo' }, { text: 'hi' }), options);

test('lists and calls, and ends what it began', async () => {
  await using server = await serveMcp({ 'tools/call': { content: [{ type: 'text', text: 'hi' }] } });
  expect((await lists(server.url)).tools.map(({ name }) => name)).toEqual(['echo']);
  expect(await call(server.url)).toEqual({ text: 'hi', isJson: false, isError: false, files: [] });
  expect(server.headers.every((one) => one.authorization === 'Bearer key')).toBe(true);
});

test('a revision that was found out is not asked for again', async () => {
  await using server = await serveMcp({ 'tools/call': { content: [] } });
  let kept: ReturnType<NonNullable<McpSessionOptions['era']>['get']>;
  const era: McpSessionOptions['era'] = {
    get: () => kept,
    set: (found) => {
      kept = found;
    },
  };
  await call(server.url, { era });
  await call(server.url, { era });
  expect(server.asked.map(({ method }) => method)).toEqual([
    'server/discover',
    'initialize',
    'notifications/initialized',
    'tools/call',
    'initialize',
    'notifications/initialized',
    'tools/call',
  ]);
});

test('a server is told of a call that nobody wants any more, and that the session ends', async () => {
  await using server = await serveMcp({
    initialize: (response, asked) => {
      response.setHeader('mcp-session-id', 'session-1');
      sendResult(response, asked, {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      });
    },
    'tools/call': undefined,
  });
  const stop = new AbortController();
  const asked = call(server.url, { signal: stop.signal });
  await expect.poll(() => server.asked.at(-1)?.method, { timeout: 20_000 }).toBe('tools/call');
  stop.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
  await expect.poll(() => server.asked.at(-1)?.method, { timeout: 20_000 }).toBe('notifications/cancelled');
  await expect.poll(() => server.ended, { timeout: 20_000 }).toEqual(['session-1']);
});

const html: Answer = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
const status = (code: number, headers = {}): Answer => {
  return (response) => response.writeHead(code, headers).end('<h1>secret words of the server</h1>');
};
/** Writes `chunk` for as long as someone reads. */
const endless = (type: string, chunk: string): Answer => {
  return (response) => {
    response.writeHead(200, { 'content-type': type });
    const write = () => {
      while (!response.destroyed && response.write(chunk));
      response.once('drain', write);
    };
    write();
  };
};
const noise = `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x'.repeat(5_000) } })}\n\n`;

/** What each step of a conversation does wrong, and what is said of it. */
const BAD: readonly (readonly [what: string, step: string, answer: Answer, told: string])[] = [
  ['is HTML', 'server/discover', html, 'does not respond like an MCP server'],
  ['is HTML', 'initialize', html, 'does not respond like an MCP server'],
  ['is HTML', 'tools/call', html, 'does not respond like an MCP server'],
  ['is 500', 'initialize', status(500), 'answered 500'],
  ['is 500', 'tools/call', status(500), 'answered 500'],
  ['is 503', 'notifications/initialized', status(503), 'answered 503'],
  ['is 401', 'server/discover', status(401), 'requires a new sign-in'],
  ['is 401', 'tools/call', status(401), 'requires a new sign-in'],
  [
    'is 403 for want of rights',
    'tools/call',
    status(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="admin"' }),
    'requires more permissions than granted',
  ] as [string, string, Answer, string],
  ['is 403', 'tools/call', status(403), 'answered 403'],
  ['redirects inward', 'tools/call', status(307, { location: 'http://127.0.0.2:1/mcp' }), 'answered 307'],
  ['redirects to its own network', 'initialize', status(308, { location: 'http://169.254.169.254/' }), 'answered 308'],
  ['redirects round', 'initialize', status(307, { location: '/mcp' }), ''],
  ['never comes', 'server/discover', undefined, 'did not answer in'],
  ['never comes', 'initialize', undefined, 'did not answer in 1 s'],
  ['never comes', 'notifications/initialized', () => {}, 'did not answer in 1 s'],
  ['never comes', 'tools/call', undefined, 'did not answer in 1 s'],
  ['is an endless stream of notifications', 'tools/call', endless('text/event-stream', noise), 'more than 1 MB'],
  ['is an endless stream of one event', 'tools/call', endless('text/event-stream', 'data: xxxxxxxx'), 'more than 1 MB'],
  ['is an endless JSON', 'tools/call', endless('application/json', '['.repeat(65_536)), 'more than 1 MB'],
  ['ends too early', 'tools/call', (response) => stream(response).end(), 'returned an incomplete response'],
  ['is of another revision', 'initialize', { protocolVersion: '1999-01-01' }, 'does not respond like an MCP server'],
  ['is an array', 'tools/list', { tools: 'no list' }, 'answered tools/list with no list'],
  [
    'breaks off',
    'tools/call',
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"jsonrpc":', () => response.destroy());
    },
    "can't be reached",
  ] as unknown as [string, string, Answer, string],
  [
    'is for another request',
    'tools/call',
    (response) => sendResult(response, { id: 999, method: '' }, {}),
    'answer in 1 s',
  ],
  [
    'is an error',
    'tools/call',
    (response: ServerResponse, { id }: Asked) =>
      stream(response, { jsonrpc: '2.0', id, error: { code: -32_000, message: 'the disk is full' } }).end(),
    'the disk is full',
  ] as unknown as [string, string, Answer, string],
  ['wants input', 'tools/call', { resultType: 'input_required', inputRequests: {} }, ''],
];

test.concurrent.each(BAD)(
  'an answer that %s, at %s, is told and leaves nothing open',
  async (_what, step, answer, told) => {
    await using server = await serveMcp({ [step]: answer });
    const asked = step === 'tools/list' ? lists : call;
    const timeoutMs = /answer in( 1 s)?$/.test(told) ? 1_000 : 20_000;
    const error: Error = await asked(server.url, { timeoutMs, maxBytes: 1e6 }).then(
      (result) => new Error(`it answered ${JSON.stringify(result)}`),
      (thrown) => thrown,
    );
    if (told === '') return expect(server.asked.length).toBeLessThan(20);
    expect(error.message).toContain(told);
    expect(error.message).not.toContain('secret words');
    return expect(error.name).toBe('McpError');
  },
);
