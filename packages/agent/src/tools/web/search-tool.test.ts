import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ToolError } from '@berth/agent-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openLoopAgent } from '../../loop/testing/open-loop-agent.ts';
import { openToolAgent } from '../testing/open-tool-agent.ts';
import { webSearch } from './search-tool.ts';

interface Asked extends Pick<IncomingMessage, 'method' | 'url' | 'headers'> {
  readonly body: string;
}

/** A search server: what it was asked, and what it answers. */
let asked: Asked[] = [];
let answer: { readonly status?: number; readonly body: unknown } = { body: {} };
const server = createServer(async (request, response) => {
  const { method, url, headers } = request;
  asked.push({ method, url, headers, body: await text(request) });
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', location: '/elsewhere' });
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
});
let baseUrl = '';
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked = [];
  answer = { body: {} };
});

const ROW = { title: 'The <b>shop</b> &amp; co', url: 'https://shop.example/' };
const FOUND = { title: 'The shop & co', url: 'https://shop.example/', snippet: 'Open daily.' };

describe('a search', () => {
  // Fails when a request has another shape than the service's, its key is missing, or an answer is read wrongly.
  test.each([
    [
      'brave',
      { web: { results: [{ ...ROW, description: 'Open <strong>daily</strong>.' }] } },
      'GET',
      '/api/web/search?q=a+%26+b&count=3&text_decorations=false',
      'x-subscription-token',
      'k',
      '',
    ],
    [
      'searxng',
      { results: [{ ...ROW, content: 'Open daily.' }] },
      'GET',
      '/api/search?q=a+%26+b&format=json',
      'authorization',
      undefined,
      '',
    ],
    [
      'serper',
      { organic: [{ title: ROW.title, link: ROW.url, snippet: 'Open daily.' }] },
      'POST',
      '/api/search',
      'x-api-key',
      'k',
      '{"q":"a & b","num":3}',
    ],
    [
      'tavily',
      { results: [{ ...ROW, content: 'Open daily.' }] },
      'POST',
      '/api/search',
      'authorization',
      'Bearer k',
      '{"query":"a & b","max_results":3}',
    ],
  ] as const)('with %s shows what it found as sources', async (provider, body, method, url, header, key, sent) => {
    answer = { body };
    await using fixture = await openToolAgent([webSearch({ provider, apiKey: 'k', baseUrl, maxResults: 3 })]);
    const outcome = await fixture.use('web_search', { query: ' a & b ' });
    expect(asked).toMatchObject([{ method, url, body: sent }]);
    expect(asked[0]?.headers[header]).toBe(key);
    expect(outcome).toMatchObject({ isError: false, text: '1. The shop & co\nhttps://shop.example/\nOpen daily.' });
    expect(outcome.frames.find(({ type }) => type === 'sources')).toMatchObject({ sources: [FOUND] });
  });

  // Fails when results are shown that are no web pages, twice, hidden or without bound.
  test('shows web pages only, each once, in text that can be seen', async () => {
    const results = [
      { title: 'Script', url: 'javascript:alert(1)' },
      { title: 'File', url: 'file:///etc/passwd' },
      { title: 'none', url: 'nonsense' },
      { title: '', url: 'https://a.example/x', snippet: `hid\u202eden ${'x'.repeat(900)}` },
      { title: 'again', url: 'https://a.example/x' },
      { title: 'B', url: 'http://b.example' },
      { title: 'C', url: 'https://c.example' },
    ];
    await using fixture = await openToolAgent([webSearch({ provider: async () => results, maxResults: 2 })]);
    const outcome = await fixture.use('web_search', { query: 'x' });
    const frame = outcome.frames.find(({ type }) => type === 'sources');
    expect(frame).toMatchObject({
      sources: [
        { title: 'a.example', url: 'https://a.example/x', snippet: expect.stringMatching(/^hidden x{490,}…$/) },
        { title: 'B', url: 'http://b.example/' },
      ],
    });
  });

  // Fails when nothing found looks like an answer of the service that was understood wrongly.
  test('says so when nothing was found', async () => {
    answer = { body: { web: null } };
    await using fixture = await openToolAgent([webSearch({ provider: 'brave', apiKey: 'k', baseUrl })]);
    const outcome = await fixture.use('web_search', { query: 'x' });
    expect(outcome).toMatchObject({ isError: false, text: 'Nothing was found.' });
    expect(outcome.frames.some(({ type }) => type === 'sources')).toBe(false);
  });

  // Fails when a fault of the service is not told apart, its answer's text reaches the model, or its key follows a redirect.
  test.each([
    [401, {}, 'refused the request (401)'],
    [429, {}, 'limit is used up'],
    [500, 'secret trace', 'answered 500'],
    [307, {}, 'answered 307'],
    [200, 'not JSON', "isn't in the format of tavily"],
    [200, { results: 'x' }, "isn't in the format of tavily"],
  ])('that fails with %s says why', async (status, body, words) => {
    answer = { status, body };
    await using fixture = await openToolAgent([webSearch({ provider: 'tavily', apiKey: 'k', baseUrl })]);
    const outcome = await fixture.use('web_search', { query: 'x' });
    expect(outcome).toMatchObject({ isError: true, text: expect.stringContaining(words) });
    expect(outcome.text).not.toContain('secret');
    expect(asked).toHaveLength(1);
  });

  // Fails when a provider's own ToolError is hidden from the model, as other errors are.
  test('of your own says why it failed', async () => {
    const provider = async () => {
      throw new ToolError('The index is being built.');
    };
    await using fixture = await openToolAgent([webSearch({ provider })]);
    expect((await fixture.use('web_search', { query: 'x' })).text).toBe('The index is being built.');
  });
});

// Fails when an agent without a key offers a tool that can only fail, or does not start.
test('without a key the tool is not offered', async () => {
  await using fixture = await openLoopAgent(['Hello.'], {
    tools: [webSearch({ provider: 'brave', apiKey: undefined })],
  });
  await fixture.say('Hi');
  expect(fixture.asked[0]?.tools).toEqual([]);
});

// Fails when a wrong option is found by the first search only.
test.each([
  [{ provider: 'searxng' }, 'needs the baseUrl'],
  [{ provider: 'searxng', baseUrl: 'searx' }, '"searx" is not a URL'],
  [{ provider: 'toString' }, 'one of brave, searxng, serper, tavily'],
  [{ provider: 'brave', maxResults: 0 }, '1 to 20'],
  [{ provider: 'brave', maxResults: 21 }, '1 to 20'],
])('%j is refused at the start', (options, words) => {
  expect(() => webSearch(options as Parameters<typeof webSearch>[0])).toThrow(words);
});
