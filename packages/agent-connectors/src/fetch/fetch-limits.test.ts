import { once } from 'node:events';
import { request } from 'node:http';
import { openTestAgent, type TestAgent } from '@berth/agent/testing';
import { createOutbound } from '@berth/agent-core';
import { ownerKey } from '@berth/agent-store';
import { createFakeClock, waitUntil } from '@berth/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Grant, Grants } from '../connector/grants.ts';
import { key } from '../declare/key.ts';
import { callApi } from './call-api.ts';
import { askRaw, openApi, type TestApi } from './testing/open-api.ts';

// Holds the agent to the contract: verifies('connector.fetch-limits')

const MEBIBYTE = 1_048_576;
const clock = createFakeClock();
let api: TestApi;
let agent: TestAgent;

beforeAll(async () => {
  api = await openApi();
  agent = await openTestAgent({
    clock,
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
    connectors: [key({ name: 'crm', api: api.url }), key({ name: 'mail', api: api.url })],
  });
  await agent.call('alice', 'PUT', '/connectors/crm/key', { key: 'a key of alice' });
});
afterAll(async () => {
  let isClosed = false;
  const closing = agent[Symbol.asyncDispose]().then(() => {
    isClosed = true;
  });
  // What is still being sent is cut when its time is over, by the clock that stands.
  await waitUntil('the agent is closed', () => {
    clock.advance(1_000);
    return isClosed;
  });
  await closing;
  await api[Symbol.asyncDispose]();
});

const authorization = 'Bearer alice';
const ask = (token: string, name = 'crm') => agent.call(token, 'GET', `/connectors/${name}/fetch/x`);

test('240 calls a minute of a person and connector, then 429 until the minute is over', async () => {
  const statuses = await Promise.all(Array.from({ length: 245 }, async () => (await ask('bob.acme')).status));
  expect([401, 429].map((status) => statuses.filter((one) => one === status).length)).toEqual([240, 5]);
  clock.advance(20_500);
  const refused = await ask('bob.acme');
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '40']);
  // Everyone else, and every other connector, has a count of their own.
  expect([(await ask('bob')).status, (await ask('bob.acme', 'mail')).status]).toEqual([401, 401]);
  clock.advance(39_500);
  expect((await ask('bob.acme')).status).toBe(401);
});

test('a request has 5 MiB at most; of more nothing goes out', async () => {
  api.answer((_request, response, { body }) => response.end(String(body.length)));
  const put = (size: number, headers: Record<string, string> = {}) =>
    askRaw(agent.url, '/connectors/crm/fetch/x', {
      method: 'PUT',
      body: Buffer.alloc(size),
      headers: { authorization, ...headers },
    });
  expect(await put(5 * MEBIBYTE)).toMatchObject({ status: 200, body: String(5 * MEBIBYTE) });
  api.asked.length = 0;
  expect((await put(5 * MEBIBYTE + 1)).status).toBe(413);
  const chunked = agent.call(
    'alice',
    'POST',
    '/connectors/crm/fetch/x',
    new Blob([Buffer.alloc(6 * MEBIBYTE)]).stream(),
  );
  expect((await chunked).status).toBe(413);
  expect(api.asked).toEqual([]);
});

test('an API that says nothing for 30 s is left: 503', async () => {
  api.asked.length = 0;
  api.answer(() => {});
  const asking = ask('alice');
  await waitUntil('the API is asked', () => api.asked.length === 1);
  clock.advance(29_999);
  const isOver = await Promise.race([
    asking.then(() => true),
    new Promise((resolve) => setTimeout(resolve, 30, false)),
  ]);
  expect(isOver).toBe(false);
  clock.advance(1);
  const answer = await asking;
  expect([answer.status, (await answer.json()).detail]).toEqual([
    503,
    `crm: ${new URL(api.url).host} did not answer in 30 s.`,
  ]);
});

test('an answer that stops in the middle is cut, not ended', async () => {
  api.answer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('half');
  });
  const answer = await ask('alice');
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
  expect(Buffer.from((await reader.read()).value ?? []).toString()).toBe('half');
  clock.advance(30_000);
  await expect(reader.read()).rejects.toThrow();
});

test('a client that leaves ends the call', async () => {
  let isClosed = false;
  api.answer((_request, response) => {
    response.on('close', () => {
      isClosed = true;
    });
    response.write('first');
  });
  const gone = new AbortController();
  const options = { headers: { authorization }, signal: gone.signal };
  const answer = await fetch(`${agent.url}/connectors/crm/fetch/x`, options);
  await answer.body?.getReader().read();
  gone.abort();
  await waitUntil('the call ends', () => isClosed);

  // Also before there is an answer.
  api.asked.length = 0;
  isClosed = false;
  api.answer((_request, response) => {
    response.on('close', () => {
      isClosed = true;
    });
  });
  const early = new AbortController();
  const asking = fetch(`${agent.url}/connectors/crm/fetch/x`, { headers: { authorization }, signal: early.signal });
  await waitUntil('the API is asked', () => api.asked.length === 1);
  early.abort();
  await expect(asking).rejects.toThrow();
  await waitUntil('the call ends', () => isClosed);
});

test('a slow reader slows the API down, and gets all of it', async () => {
  const total = 64 * MEBIBYTE;
  const piece = Buffer.alloc(65_536, 'x');
  let written = 0;
  let isWaiting = false;
  api.answer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'content-length': total });
    const write = () => {
      isWaiting = false;
      while (written < total) {
        written += piece.length;
        if (!response.write(piece)) {
          isWaiting = true;
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
  });
  const outgoing = request(`${agent.url}/connectors/crm/fetch/x`, { headers: { authorization } }).end();
  const [incoming] = await once(outgoing, 'response');
  let before = -1;
  await waitUntil('everything on the way is full', () => {
    const isStill = isWaiting && written === before;
    before = written;
    return isStill;
  });
  expect(written).toBeLessThan(total / 2);
  let received = 0;
  for await (const chunk of incoming) received += chunk.length;
  expect([received, written]).toEqual([total, total]);
});

test('a token that the API refuses is renewed once, and the call made again, body and all', async () => {
  const reported: string[] = [];
  const grantOf = (secret: string): Grant => ({
    scope: 'user',
    owner: ownerKey({ id: 'alice' }),
    version: secret,
    secrets: [],
    scrub: (text) => text,
    authorize: (_url, headers) => headers.set('authorization', secret),
  });
  const grants = {
    async reportRejected(_connector, grant) {
      reported.push(grant.version);
      return grant.version === 'old' ? grantOf('new') : undefined;
    },
  } satisfies Partial<Grants> as unknown as Grants;
  const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });
  const good = { secret: 'new' };
  api.answer((_request, response, { headers, body }) => {
    response.writeHead(headers.authorization === good.secret ? 200 : 401).end(body);
  });
  const call = async () => {
    api.asked.length = 0;
    const answer = await callApi(
      { outbound, grants },
      {
        connector: key({ name: 'crm', api: api.url }),
        grant: grantOf('old'),
        method: 'POST',
        path: 'x',
        query: undefined,
        headers: new Headers(),
        body: Buffer.from('made'),
        signal: AbortSignal.timeout(60_000),
      },
    );
    let text = '';
    for await (const chunk of answer.body ?? []) text += Buffer.from(chunk).toString();
    return [answer.status, text, api.asked.map(({ headers, body }) => `${headers.authorization} ${body}`)];
  };
  expect(await call()).toEqual([200, 'made', ['old made', 'new made']]);
  good.secret = 'none';
  expect(await call()).toEqual([401, 'made', ['old made', 'new made']]);
  expect(reported).toEqual(['old', 'old']);
  outbound.close();
});
