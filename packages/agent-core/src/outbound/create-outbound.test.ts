import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createOutbound, type Outbound } from './create-outbound.ts';
import { INNER_HOSTS, type InnerListener, openInnerListener, resolveInner } from './testing/inner-listener.ts';

// Holds the agent to the contract: verifies('connector.outbound')

let inner: InnerListener;
let open: Outbound;
let closed: Outbound;
let asked: { line: string; headers: IncomingMessage['headers']; body: string }[] = [];
let answer = (_request: IncomingMessage, response: ServerResponse): unknown => response.end('ok');
const server = createServer((request, response) => {
  buffer(request).then(
    (body) => {
      asked.push({ line: `${request.method} ${request.url}`, headers: request.headers, body: String(body) });
      answer(request, response);
    },
    () => {},
  );
});
let base = '';

beforeAll(async () => {
  inner = await openInnerListener();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closed = createOutbound({}, { resolveHost: resolveInner });
  open = createOutbound({ allowedNetworks: ['127.0.0.1/32'] }, { resolveHost: resolveInner });
});
afterAll(async () => {
  open.close();
  closed.close();
  server.closeAllConnections();
  server.close();
  await inner[Symbol.asyncDispose]();
});
beforeEach(() => {
  asked = [];
  answer = (_request, response) => response.end('ok');
});

test('no spelling of an address inside is asked, by no way out', async () => {
  const limits = { timeoutMs: 10_000, maxBytes: 100 };
  for (const host of INNER_HOSTS) {
    for (const scheme of ['https', 'HTTP']) {
      const url = `${scheme}://${host.replace('PORT', String(inner.port))}/x`;
      for (const [way, asking] of [
        ['request', () => closed.request({ url, ...limits })],
        ['fetch', () => closed.fetch({ url, ...limits, isHttpAllowed: true })],
        ['fetchWith', () => closed.fetchWith({})(url)],
      ] as const) {
        const error = await asking().then(
          () => 'it was asked',
          (thrown: Error) => thrown.message,
        );
        expect([way, url, error]).toEqual([
          way,
          url,
          expect.stringMatching(/resolves to a non-public address\.$|only requested over https/),
        ]);
      }
    }
  }
  expect(inner.connections).toBe(0);
});

test.each([
  'http://user:pass@127.0.0.1/',
  'https://good.example@127.0.0.1/',
  'ftp://127.0.0.1/',
  'file:///etc/passwd',
  'gopher://127.0.0.1/',
  'data:text/plain,x',
  'javascript:alert(1)',
  '//127.0.0.1/',
  '127.0.0.1',
  'http://',
  '',
])('%s is no address that is asked', async (url) => {
  const plain = /Only plain http/;
  await expect(open.request({ url, timeoutMs: 1_000 })).rejects.toThrow(plain);
  await expect(open.fetch({ url, timeoutMs: 1_000, maxBytes: 1 })).rejects.toThrow(plain);
  await expect(open.fetchWith({})(url)).rejects.toThrow();
});

test('the public internet is asked over https and on ports of the web, the owner’s networks on any', async () => {
  const refuse = (url: string, isHttpAllowed = false) => closed.request({ url, timeoutMs: 1, isHttpAllowed });
  await expect(refuse('http://1.1.1.1/')).rejects.toThrow('1.1.1.1 is only requested over https://.');
  for (const port of [22, 25, 389, 1_023]) {
    await expect(refuse(`https://1.1.1.1:${port}/`)).rejects.toThrow(`Port ${port} is not allowed`);
  }
  await expect(refuse('http://1.1.1.1:25/', true)).rejects.toThrow('Port 25 is not allowed');
  expect(await (await open.fetchWith({})(`${base}/x`)).text()).toBe('ok');
  await expect(open.fetchWith({})(`http://127.0.0.2:${inner.port}/`)).rejects.toThrow('non-public address');
  expect(inner.connections).toBe(0);
});

test('a redirect inward is not followed, from the address it names', async () => {
  for (const host of INNER_HOSTS.filter(
    (one) => !/^(127\.0\.0\.1|localhost|2130|0x7f|0177|127\.1|①|\[::ffff)/i.test(one),
  )) {
    const location = `http://${host.replace('PORT', String(inner.port))}/`;
    answer = (_request, response) => response.writeHead(302, { location }).end();
    await expect(open.fetchWith({})(`${base}/x`), location).rejects.toThrow(/non-public address|over https/);
  }
  expect(inner.connections).toBe(0);
});

test('what libraries ask goes out as they mean it', async () => {
  const form = new URLSearchParams({ grant_type: 'refresh_token', q: 'a b' });
  await (await open.fetchWith({})(`${base}/token`, { method: 'POST', body: form, headers: { accept: 'x/y' } })).text();
  await (await open.fetchWith({})(new Request(`${base}/r?a=%2F`, { method: 'PUT', body: 'text' }))).text();
  await (await open.fetchWith({})(new URL(`${base}/u`), { method: 'DELETE' })).text();
  expect(asked.map(({ line, body }) => `${line} ${body}`)).toEqual([
    'POST /token grant_type=refresh_token&q=a+b',
    'PUT /r?a=%2F text',
    'DELETE /u ',
  ]);
  expect(asked[0]?.headers).toMatchObject({
    accept: 'x/y',
    'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
  });
});

test('and what is answered comes back as a response', async () => {
  answer = (request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/there' }).end();
    else if (request.url === '/packed') {
      const packed = gzipSync('unpacked');
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length }).end(packed);
    } else if (request.url === '/empty') response.writeHead(204).end();
    else response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'], 'x-one': '1' }).end('there');
  };
  const moved = await open.fetchWith({})(`${base}/moved`);
  expect([moved.url, moved.status, moved.ok, await moved.text()]).toEqual([`${base}/there`, 200, true, 'there']);
  expect([moved.headers.getSetCookie(), moved.headers.get('x-one')]).toEqual([['a=1', 'b=2'], '1']);
  const stays = await open.fetchWith({})(`${base}/moved`, { redirect: 'manual' });
  expect([stays.status, stays.headers.get('location')]).toEqual([302, '/there']);
  await stays.text();
  await expect(open.fetchWith({})(`${base}/moved`, { redirect: 'error' })).rejects.toThrow('redirects');
  const packed = await open.fetchWith({})(`${base}/packed`);
  expect([await packed.text(), packed.headers.get('content-encoding')]).toEqual(['unpacked', null]);
  const empty = await open.fetchWith({})(`${base}/empty`);
  expect([empty.status, empty.body]).toEqual([204, null]);
});

test('a small answer that unpacks to a large one ends with an error', async () => {
  const bomb = gzipSync(Buffer.alloc(20_000_000));
  answer = (_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb);
  const limited = open.fetchWith({ maxBytes: 1_000_000 });
  await expect((await limited(base)).text()).rejects.toThrow('more than 1000000 bytes');
  const cut = await open.fetch({ url: base, timeoutMs: 10_000, maxBytes: 1_000 });
  expect([cut.body.length, cut.isCut]).toEqual([1_000, true]);
});

test('signals end what is asked, their own and that of all', async () => {
  answer = () => {};
  const [all, one] = [new AbortController(), new AbortController()];
  const limited = open.fetchWith({ signal: all.signal });
  const [first, second] = [limited(base, { signal: one.signal }), limited(base)];
  one.abort(new Error('one'));
  await expect(first).rejects.toThrow('one');
  all.abort(new Error('all'));
  await expect(second).rejects.toThrow('all');
});

test('proxies of the environment are not asked', async () => {
  const program = `
    const { createOutbound } = await import(${JSON.stringify(new URL('create-outbound.ts', import.meta.url).href)});
    const outbound = createOutbound({ allowedNetworks: ['127.0.0.1/32'] });
    process.stdout.write(await (await outbound.fetchWith({})('${base}')).text());
    outbound.close();`;
  const proxy = `http://127.0.0.1:${inner.port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'http_proxy', 'https_proxy', 'all_proxy'];
  const proxies = Object.fromEntries(names.map((name) => [name, proxy]));
  // Node reads them at its start.
  const env = { ...process.env, ...proxies, NODE_USE_ENV_PROXY: '1' };
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { env });
  expect([stdout, inner.connections]).toEqual(['ok', 0]);
});

/** Fails when `ownerHeaders` is asked for an address outside the owner's networks, or not sent to one inside. */
test('the owner’s headers go to the owner’s networks and nowhere else', async () => {
  let count = 0;
  const ownerHeaders = () => {
    count++;
    return { traceparent: 'the trace' };
  };
  const resolveHost = async (host: string) => [host === 'own.example' ? '127.0.0.1' : '93.184.216.34'];
  const traced = createOutbound({ allowedNetworks: ['127.0.0.1/32'] }, { resolveHost, ownerHeaders });
  try {
    const url = new URL(base);
    await traced.fetch({ url: `http://own.example:${url.port}/`, timeoutMs: 10_000, maxBytes: 100 });
    expect(asked[0]?.headers).toMatchObject({ traceparent: 'the trace' });
    expect(count).toBe(1);
    // Fails when the owner's body goes elsewhere, or its length is that of the other one.
    const bodies: Uint8Array[] = [];
    const ownerBody = (body: Uint8Array) => {
      bodies.push(body);
      return Buffer.from('longer than before');
    };
    const own = traced.fetchWith({ ownerBody });
    const init = { method: 'POST', body: 'short' };
    const answer = await own(`http://own.example:${url.port}/`, init);
    await answer.text();
    expect(asked.at(-1)).toMatchObject({ headers: { 'content-length': '18' } });
    expect(bodies.map((body) => Buffer.from(body).toString())).toEqual(['short']);
    await expect(traced.fetchWith({ ownerBody, timeoutMs: 1 })('https://public.example/', init)).rejects.toThrow();
    expect(bodies).toHaveLength(1);
    count = 1;
    await expect(traced.fetch({ url: 'https://public.example/', timeoutMs: 1, maxBytes: 100 })).rejects.toThrow();
    expect(count).toBe(1);
  } finally {
    traced.close();
  }
});
