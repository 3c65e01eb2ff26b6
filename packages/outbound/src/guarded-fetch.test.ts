import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAddressRule } from './address-rule.ts';
import { type GuardedFetchOptions, guardedFetch } from './guarded-fetch.ts';

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A server on loopback that counts its connections. */
async function serve(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const seen = { connections: 0, requests: [] as string[] };
  server.on('connection', () => seen.connections++);
  server.on('request', (request) => seen.requests.push(`${request.method} ${request.headers.host}${request.url}`));
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { seen, port: (server.address() as AddressInfo).port };
}

const own = createAddressRule(['127.0.0.0/8']);
const publicOnly = createAddressRule([]);

const fetchGuarded = (url: string, options: Partial<GuardedFetchOptions> = {}) =>
  guardedFetch({
    url,
    protocols: ['http:'],
    resolve: async () => ['127.0.0.1'],
    isAllowed: own,
    timeoutMs: 5_000,
    maxBytes: 100,
    ...options,
  });
const get = async (url: string, options: Partial<GuardedFetchOptions> = {}) => {
  const { status, body } = await fetchGuarded(url, options);
  return { status, body: body.toString('utf8') };
};

test('asks the address of the name, with the name as its host', async () => {
  const { port, seen } = await serve((_request, response) => response.end('proof'));
  expect(await get(`http://shop.example:${port}/a?b=c`)).toEqual({ status: 200, body: 'proof' });
  expect(seen.requests).toEqual([`GET shop.example:${port}/a?b=c`]);
});

test.each([
  'http://127.0.0.1:PORT/',
  'HTTP://127.0.0.1:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f.1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://①②⑦.⓪.⓪.①:PORT/',
  'http://localhost:PORT/',
  'http://localhost.:PORT/',
  'http://[::1]:PORT/',
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::7f00:1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://0.0.0.0:PORT/',
  'http://shop.example@127.0.0.1:PORT/',
  'http://user:pass@shop.example:PORT/',
  'https://shop.example:PORT/',
  'ftp://shop.example:PORT/',
  'file:///etc/passwd',
])('%s is refused, and the listener sees nothing', async (url) => {
  const { port, seen } = await serve((_request, response) => response.end());
  await expect(get(url.replace('PORT', String(port)), { isAllowed: publicOnly })).rejects.toThrow(
    /non-public address|Only plain http/,
  );
  expect(seen.connections).toBe(0);
});

test('one address inside among public ones refuses them all', async () => {
  const { port, seen } = await serve((_request, response) => response.end());
  const url = `http://shop.example:${port}/`;
  for (const address of ['127.0.0.1', '::1', '169.254.169.254', '::ffff:7f00:1', 'fe80::1%lo', 'junk']) {
    const resolve = async () => ['1.1.1.1', address];
    const error = await get(url, { resolve, isAllowed: publicOnly }).then(undefined, (thrown: Error) => thrown);
    expect((error as Error).message).toBe('shop.example resolves to a non-public address.');
  }
  expect(seen.connections).toBe(0);
});

test('a name that answers something else the second time is not asked a second time', async () => {
  const { port, seen } = await serve((_request, response) => response.end('inside'));
  const answers = [['127.0.0.2'], ['127.0.0.1']];
  let count = 0;
  const resolve = async () => answers[count++] ?? [];
  const isAllowed = createAddressRule(['127.0.0.2/32']);
  await expect(get(`http://shop.example:${port}/`, { resolve, isAllowed })).rejects.toThrow('ECONNREFUSED');
  expect([count, seen.connections]).toEqual([1, 0]);
});

test('the far end of the socket is judged again', async () => {
  const { port, seen } = await serve((_request, response) => response.end('inside'));
  let judged = 0;
  const isAllowed = () => judged++ === 0;
  await expect(get(`http://shop.example:${port}/`, { isAllowed })).rejects.toThrow('non-public address');
  expect([judged, seen.requests]).toEqual([2, []]);
});

test('redirects are answered, not followed, unless told', async () => {
  const { port, seen } = await serve((_request, response) => response.writeHead(302, { location: '/inside' }).end());
  expect((await get(`http://shop.example:${port}/`)).status).toBe(302);
  expect(seen.requests).toHaveLength(1);
});

test('the next address is tried when one does not listen', async () => {
  const { port } = await serve((_request, response) => response.end('proof'));
  const resolve = async () => ['127.0.0.3', '127.0.0.1'];
  expect((await get(`http://shop.example:${port}/`, { resolve })).body).toBe('proof');
});

test('an endless body is cut where it is long enough', async () => {
  const { port } = await serve((_request, response) => {
    const write = () => {
      while (response.write('x'.repeat(65_536)));
      response.once('drain', write);
    };
    write();
  });
  expect(await get(`http://shop.example:${port}/`)).toEqual({ status: 200, body: 'x'.repeat(100) });
});

test.each([
  ['that never answers', () => {}],
  [
    'that drips',
    (_request: unknown, response: { write(text: string): unknown }) =>
      void setInterval(() => response.write('x'), 20).unref(),
  ],
] satisfies [string, RequestListener][])('a server %s is left in time', async (_what, answer) => {
  const { port } = await serve(answer);
  await expect(get(`http://shop.example:${port}/`, { timeoutMs: 150, maxBytes: 1e6 })).rejects.toThrow('in 0.15 s');
});

test('a name server that never answers is left in time', async () => {
  const resolve = () => new Promise<string[]>(() => {});
  await expect(get('http://shop.example/', { resolve, timeoutMs: 50 })).rejects.toThrow('did not answer');
});

test('a name without an address is said', async () => {
  await expect(get('http://shop.example/', { resolve: async () => [] })).rejects.toThrow('has no address');
});

test('a redirect is followed as often as was said, from the address it names', async () => {
  const { port, seen } = await serve((request, response) => {
    const hop = Number(request.url?.slice(1));
    if (hop === 3) response.end('here');
    else response.writeHead(302, { location: `/${hop + 1}` }).end();
  });
  const answer = await fetchGuarded(`http://shop.example:${port}/0`, { maxRedirects: 3 });
  expect([answer.url, answer.status, String(answer.body)]).toEqual([`http://shop.example:${port}/3`, 200, 'here']);
  expect(seen.requests).toHaveLength(4);
  await expect(get(`http://shop.example:${port}/0`, { maxRedirects: 2 })).rejects.toThrow('more than 2 times');
});

test.each([
  'http://127.0.0.2:PORT/',
  'http://inside.example:PORT/',
  '//127.0.0.2:PORT/',
  'http://2130706434:PORT/',
  'file:///etc/passwd',
  'gopher://shop.example/',
  'http://user@shop.example:PORT/',
  'http://[',
])('a redirect to %s is refused before it is asked', async (location) => {
  const { port, seen } = await serve((request, response) => {
    if (request.url === '/start') {
      response.writeHead(302, { location: location.replace('PORT', String(port)) }).end();
    } else response.end('inside');
  });
  const resolve = async (host: string) => [host === 'shop.example' ? '127.0.0.1' : '127.0.0.2'];
  const isAllowed = createAddressRule(['127.0.0.1/32']);
  const asked = get(`http://shop.example:${port}/start`, { resolve, isAllowed, maxRedirects: 5 });
  await expect(asked).rejects.toThrow(/non-public address|Only plain http/);
  expect(seen.requests).toHaveLength(1);
});

test("the caller's signal ends it at once, with its reason", async () => {
  const { port } = await serve(() => {});
  const controller = new AbortController();
  const asked = get(`http://shop.example:${port}/`, { signal: controller.signal });
  controller.abort(new Error('stopped'));
  await expect(asked).rejects.toThrow('stopped');
});

test('a body that breaks off says so', async () => {
  const { port } = await serve((_request, response) => {
    response.writeHead(200, { 'content-length': '50' });
    response.write('half', () => response.destroy());
  });
  await expect(get(`http://shop.example:${port}/`)).rejects.toThrow(
    'The rest of the response could not be read (ECONNRESET).',
  );
});
