import { gzipSync } from 'node:zlib';
import { openTestAgent, type TestAgent } from '@berth/agent/testing';
import { createRecordingLogger } from '@berth/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { key } from '../declare/key.ts';
import { askRaw, openApi, type TestApi } from './testing/open-api.ts';

// Holds the agent to the contract: verifies('connector.fetch', 'connector.fetch-headers', 'connector.fetch-refused')

const SECRET = 'canary/key+of=alice';
let api: TestApi;
let inside: TestApi;
let agent: TestAgent;
const lines: string[] = [];

beforeAll(async () => {
  api = await openApi();
  inside = await openApi('127.0.0.2');
  const owners = { baseUrl: `${api.url}/v1/team`, headers: { 'X-Version': '7' } };
  agent = await openTestAgent({
    logger: createRecordingLogger(lines),
    outbound: { allowedNetworks: ['127.0.0.1/32'] },
    connectors: [
      key({ name: 'crm', api: owners }),
      key({ name: 'maps', api: api.url, query: 'k' }),
      key({ name: 'inside', api: inside.url }),
      key({ name: 'plain', api: 'http://1.1.1.1/' }),
      key({ name: 'none', api: api.url }),
      key({ name: 'own', endpoint: { hosts: [api.url] }, header: 'X-Key' }),
    ],
  });
  for (const name of ['crm', 'maps', 'inside', 'plain']) {
    expect((await agent.call('alice', 'PUT', `/connectors/${name}/key`, { key: SECRET })).status).toBe(200);
  }
  const own = { key: SECRET, endpoint: `${api.url}/alice` };
  expect((await agent.call('alice', 'PUT', '/connectors/own/key', own)).status).toBe(200);
});
afterAll(async () => {
  await agent[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
  await inside[Symbol.asyncDispose]();
});
beforeEach(() => {
  api.asked.length = 0;
  api.answer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}'),
  );
});

const bearer = { authorization: 'Bearer alice' };
const raw = (target: string, options: Parameters<typeof askRaw>[2] = {}) =>
  askRaw(agent.url, target, { ...options, headers: { ...bearer, ...options.headers } });

test('the call goes out as it came, with the key, below the base', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
    const body = ['GET', 'HEAD'].includes(method) ? undefined : Buffer.from([0, 255, 10]);
    const target = '/connectors/crm/fetch/a%2Fb/%C3%A9?q=1&q=%2F+x&url=http://x/..';
    const answer = await raw(target, { method, ...(body && { body }), headers: { 'content-type': 'image/x-y' } });
    expect([answer.status, answer.body]).toEqual([200, method === 'HEAD' ? '' : '{"ok":true}']);
    expect(api.asked.pop()).toMatchObject({
      method,
      target: '/v1/team/a%2Fb/%C3%A9?q=1&q=%2F+x&url=http://x/..',
      body: body?.toString('latin1') ?? '',
      headers: { authorization: `Bearer ${SECRET}`, 'x-version': '7', host: new URL(api.url).host },
    });
  }
  await raw('/connectors/crm/fetch/');
  await raw('/connectors/maps/fetch/x?k=mine&z=1');
  await raw('/connectors/own/fetch/x');
  expect(api.asked.map(({ target }) => target)).toEqual([
    '/v1/team/',
    `/x?${new URLSearchParams({ k: SECRET, z: '1' })}`,
    '/alice/x',
  ]);
  expect(api.asked[2]?.headers).toMatchObject({ 'x-key': SECRET });
});

test('of the headers only those go out that are for the API', async () => {
  const kept = { accept: 'text/x', 'content-type': 'text/y', 'if-none-match': '"1"', range: 'bytes=0-1', prefer: 'x' };
  const dropped = {
    cookie: 'session=1',
    'x-workspace': 'u-alice',
    'x-forwarded-for': '6.6.6.6',
    forwarded: 'for=6.6.6.6',
    'proxy-authorization': 'Basic eA==',
    te: 'trailers',
    'x-version': '6',
    origin: 'https://evil.test',
    referer: 'https://evil.test/',
    'x-http-method-override': 'DELETE',
    'keep-alive': 'timeout=9',
    host: 'evil',
  };
  await raw('/connectors/crm/fetch/x', { method: 'POST', body: Buffer.from('b'), headers: { ...dropped, ...kept } });
  const [call] = api.asked;
  expect(call?.headers).toEqual({
    ...kept,
    host: new URL(api.url).host,
    authorization: `Bearer ${SECRET}`,
    'x-version': '7',
    'user-agent': 'berth',
    'accept-encoding': 'identity',
    'content-length': '1',
    connection: 'keep-alive',
  });
});

test('an answer brings no cookies, no permissions and nothing that runs here', async () => {
  api.answer((_request, response) => {
    response.writeHead(201, {
      'set-cookie': ['a=1', 'b=2'],
      'access-control-allow-origin': '*',
      'content-security-policy': 'none',
      'content-type': 'text/html',
      'x-frame-options': 'ALLOWALL',
      'clear-site-data': '"*"',
      refresh: '0;url=//e',
      'x-accel-redirect': '/etc/passwd',
      'service-worker-allowed': '/',
      'www-authenticate': 'Basic',
      'strict-transport-security': 'max-age=0',
      'cache-control': 'public',
      'x-content-type-options': 'no',
      etag: '"e"',
      link: '<x>; rel=next',
      'x-ratelimit-left': '3',
      'ratelimit-limit': '9',
      location: '/made',
      'keep-alive': 'timeout=9',
      'content-disposition': 'inline; filename="a.html"',
      'x-request-id': 'theirs-1234',
    });
    response.end('<script>alert(1)</script>');
  });
  const { status, headers, body } = await raw('/connectors/crm/fetch/page');
  expect([status, body]).toEqual([201, '<script>alert(1)</script>']);
  const { date: _date, 'x-request-id': id, ...rest } = headers;
  expect(id).not.toBe('theirs-1234');
  expect(rest).toEqual({
    etag: '"e"',
    link: '<x>; rel=next',
    'x-ratelimit-left': '3',
    'ratelimit-limit': '9',
    'content-type': 'text/html',
    'content-disposition': 'attachment; filename="a.html"',
    'cache-control': 'no-store',
    'content-security-policy': "sandbox; default-src 'none'",
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'x-connector-location': '/made',
    connection: 'close',
    'transfer-encoding': 'chunked',
  });
});

test.each([
  '//evil.test/x',
  'http://evil.test/x',
  '..%2f..%2fx',
  '%2e%2e/x',
  '../../x',
  'a/../../../x',
  '@evil.test/',
  '\\evil.test',
  '%5c%5cevil.test',
  '..;/x',
  'a%0d%0aX:%20y',
  '%00',
])('%s leaves the base: 400, and nobody is asked', async (path) => {
  expect((await raw(`/connectors/crm/fetch/${path}`)).status).toBe(400);
  expect(api.asked).toEqual([]);
});

test('who may not call it is told why, and nobody is asked', async () => {
  const ask = (token: string | undefined, name: string) => agent.call(token, 'GET', `/connectors/${name}/fetch/x`);
  const [unknown, hidden] = [await ask('alice', 'nothing'), await ask('alice', 'NONE')];
  expect([unknown.status, hidden.status]).toEqual([404, 404]);
  expect(await unknown.json()).toEqual(await hidden.json());
  expect((await ask(undefined, 'crm')).status).toBe(401);
  const open = await ask('bob.acme', 'crm');
  expect([open.status, await open.json()]).toEqual([401, { detail: 'crm is not connected. Connect it first.' }]);
  expect(open.headers.get('www-authenticate')).toBe('Connector name="crm"');
  expect((await ask('alice.acme', 'crm')).status).toBe(401);

  expect((await agent.call('alice', 'PATCH', '/connectors/crm', { on: false })).status).toBe(200);
  expect((await ask('alice', 'crm')).status).toBe(403);
  await agent.call('alice', 'PATCH', '/connectors/crm', { on: true });
  await agent.call('alice', 'PUT', '/connectors/crm/tools/fetch', { mode: 'never' });
  expect((await ask('alice', 'crm')).status).toBe(403);
  expect((await ask('alice', 'maps')).status).toBe(200);
  // Fails when `ask` is taken for `allow`: the call would run and no one would be asked.
  await agent.call('alice', 'PUT', '/connectors/crm/tools/fetch', { mode: 'ask' });
  for (const method of ['GET', 'POST']) {
    const asking = await raw('/connectors/crm/fetch/x', { method });
    expect([asking.status, asking.body]).toEqual([403, expect.stringContaining("API calls can't ask")]);
  }
  expect(api.asked.map(({ target }) => target)).toEqual([`/x?k=${encodeURIComponent(SECRET)}`]);
  await agent.call('alice', 'PUT', '/connectors/crm/tools/fetch', { mode: 'allow' });
  expect((await ask('alice', 'crm')).status).toBe(200);
  api.asked.length = 0;

  const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
  expect((await raw('/connectors/crm/fetch/x', { method: 'PROPFIND' })).status).toBe(405);
  expect((await raw('/connectors/crm/fetch/x', { body: Buffer.from('x') })).status).toBe(400);
  const upgraded = await raw('/connectors/crm/fetch/x', { headers: upgrade });
  expect([upgraded.status, api.asked]).toEqual([400, []]);
});

// verifies('connector.outbound')
const OWN_SCRIPT = { 'sec-fetch-dest': 'empty', 'sec-fetch-mode': 'cors', 'sec-fetch-site': 'same-origin' };

// Fails without refusePageContent, and with any one of its four conditions taken out.
test.each<[what: string, headers: Record<string, string>]>([
  ['an image', { ...OWN_SCRIPT, 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors', 'x-connector': 'crm' }],
  ['an image that asks with CORS', { ...OWN_SCRIPT, 'sec-fetch-dest': 'image', 'x-connector': 'crm' }],
  ['a script that a page loads', { ...OWN_SCRIPT, 'sec-fetch-dest': 'script', 'x-connector': 'crm' }],
  ['a fetch without CORS', { ...OWN_SCRIPT, 'sec-fetch-mode': 'no-cors', 'x-connector': 'crm' }],
  ['a navigation', { 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin', 'x-connector': 'crm' }],
  ['a script of a sibling host', { ...OWN_SCRIPT, 'sec-fetch-site': 'same-site', 'x-connector': 'crm' }],
  ['a script of another site', { ...OWN_SCRIPT, 'sec-fetch-site': 'cross-site', 'x-connector': 'crm' }],
  ['what a page reads because a message names it', OWN_SCRIPT],
  ['that, of a browser that says less', { 'sec-fetch-site': 'same-origin' }],
  ['a page that means another connector', { ...OWN_SCRIPT, 'x-connector': 'maps' }],
])('%s calls no API with the token of its reader', async (_what, headers) => {
  for (const method of ['GET', 'POST']) {
    expect((await raw('/connectors/crm/fetch/x', { method, headers })).status).toBe(403);
  }
  expect(api.asked).toEqual([]);
});

test('scripts of its own page that name the connector call it, and so do clients that are no browser', async () => {
  expect((await raw('/connectors/crm/fetch/x', { headers: { ...OWN_SCRIPT, 'x-connector': 'crm' } })).status).toBe(200);
  // As Node's own fetch says it.
  expect((await raw('/connectors/crm/fetch/x', { headers: { 'sec-fetch-mode': 'cors' } })).status).toBe(200);
  expect((await raw('/connectors/crm/fetch/x')).status).toBe(200);
  expect(api.asked.map(({ headers }) => headers['x-connector'])).toEqual([undefined, undefined, undefined]);
});

test('addresses that are not public are not asked, and plain http only where the owner allows it', async () => {
  const [inner, plain] = [await raw('/connectors/inside/fetch/x'), await raw('/connectors/plain/fetch/x')];
  expect([inner.status, plain.status, inside.asked]).toEqual([403, 403, []]);
  expect(inner.body).toContain('resolves to a non-public address');
  expect(plain.body).toContain('only requested over https://');
});

test('redirects are told, not followed', async () => {
  const to = `${inside.url}/x?token=${encodeURIComponent(SECRET)}`;
  api.answer((_request, response) => response.writeHead(307, { location: to }).end('moved'));
  const { status, headers, body } = await raw('/connectors/crm/fetch/x', { method: 'POST' });
  expect([status, body, headers.location, api.asked.length, inside.asked]).toEqual([307, 'moved', undefined, 1, []]);
  expect(headers['x-connector-location']).toBe(`${inside.url}/x?token=[hidden]`);
});

test('a far end that repeats the key shows stars', async () => {
  api.answer((_request, response, { headers }) => {
    response.writeHead(200, { 'content-type': 'text/plain', 'x-echo': String(headers.authorization) });
    response.write(`you sent ${String(headers.authorization).slice(0, 15)}`);
    setImmediate(() =>
      response.end(`${String(headers.authorization).slice(15)} and ${Buffer.from(SECRET).toString('base64')}`),
    );
  });
  const { headers, body } = await raw('/connectors/crm/fetch/echo');
  expect([headers['x-echo'], body]).toEqual([
    'Bearer [hidden]',
    `you sent Bearer ${'*'.repeat(SECRET.length)} and ${'*'.repeat(28)}`,
  ]);
  const packed = gzipSync(`packed ${SECRET}`);
  const encoded = { 'content-encoding': 'gzip', 'content-length': packed.length };
  api.answer((_request, response) => response.writeHead(200, encoded).end(packed));
  const unpacked = await raw('/connectors/crm/fetch/echo');
  expect([unpacked.body, unpacked.headers['content-encoding'], unpacked.headers['content-length']]).toEqual([
    `packed ${'*'.repeat(SECRET.length)}`,
    undefined,
    undefined,
  ]);
  const logged = lines.join('\n');
  expect(logged).toContain('/connectors/crm/fetch/echo');
  for (const spelling of [SECRET, encodeURIComponent(SECRET)]) expect(logged).not.toContain(spelling);
});

test.each([
  [204, {}, ''],
  [304, { etag: '"e"' }, ''],
  [404, { 'content-type': 'application/json' }, '{"message":"no"}'],
  [500, { 'content-type': 'text/plain' }, 'broken'],
  [206, { 'content-range': 'bytes 0-1/9', 'content-length': '2' }, 'ab'],
])('an answer of %i is passed on', async (status, headers, body) => {
  api.answer((_request, response) => response.writeHead(status, headers).end(body));
  const answer = await raw('/connectors/crm/fetch/x');
  expect([answer.status, answer.body]).toEqual([status, body]);
  expect(answer.headers).toMatchObject(headers);
});

test('a key that the API refuses is passed on as refused, and is to be connected again', async () => {
  await agent.call('dora', 'PUT', '/connectors/crm/key', { key: 'one that is bad' });
  api.answer((_request, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end('bad key'));
  const refused = await agent.call('dora', 'GET', '/connectors/crm/fetch/x');
  expect([refused.status, await refused.text(), refused.headers.get('www-authenticate')]).toEqual([
    401,
    'bad key',
    null,
  ]);
  expect((await agent.call('dora', 'GET', '/connectors/crm/fetch/x')).status).toBe(401);
  expect(api.asked).toHaveLength(1);
  expect(await (await agent.call('dora', 'GET', '/connectors')).json()).toMatchObject([
    { connected: false },
    {},
    {},
    {},
    {},
    {},
  ]);
});
