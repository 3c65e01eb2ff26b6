import { once } from 'node:events';
import { connect as connectHttp2, type OutgoingHttpHeaders } from 'node:http2';
import { connect } from 'node:net';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { testTarget } from '../testing/test-target.ts';
import { createWireFixture, httpProgram } from '../testing/wire-fixture.ts';

/** The requests that services received: service, target and every host header. */
const seen: string[] = [];

const fixture = await createWireFixture({
  program: (revision) =>
    httpProgram((request, response) => {
      const { host, forwarded } = request.headers;
      seen.push(`${revision} ${request.method} ${request.url} ${host} ${request.headers['x-forwarded-host']}`);
      expect(forwarded).toContain(`host=${host?.includes(':') ? `"${host}"` : host};`);
      response.end('ok');
    }),
});
fixture.gateway.register(testTarget({ deployment: 'other', revision: 'rev-other' }));
fixture.gateway.register(testTarget({ deployment: 'Hello' }));
const session = connectHttp2('http://hello.test', { createConnection: () => connect(fixture.port, '127.0.0.1') });

beforeEach(() => void seen.splice(0));
afterAll(async () => {
  session.destroy();
  await fixture[Symbol.asyncDispose]();
});

/** Sends a request with Node's HTTP/2 client and returns the status. */
async function ask(headers: OutgoingHttpHeaders): Promise<number> {
  const stream = session.request({ ':path': '/', ...headers });
  const [answer] = await once(stream, 'response');
  stream.resume();
  await once(stream, 'close');
  return answer[':status'];
}

/** Sends a head over HTTP/1 and returns the status. */
async function exchange(target: string, host: string, more = ''): Promise<number> {
  const answer = await fixture.exchange(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n${more}\r\n`);
  return Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
}

// Fails when `settleTarget` does not compare the two, or when `host` takes precedence over `:authority`.
test.each([
  ['other.test', 'hello.test'],
  ['hello.test', 'other.test'],
  ['hello.test', 'hello.test:81'],
  ['hello.test', 'hello.test.'],
])('HTTP/2: :authority %s with host %s reaches no service', async (authority, host) => {
  expect(await ask({ ':authority': authority, host })).toBe(400);
  expect(seen).toEqual([]);
});

test.each([
  ['hello.test', undefined, 'hello.test'],
  ['hello.test', 'hello.test', 'hello.test'],
  ['Hello.test:80', 'hello.TEST', 'Hello.test:80'],
  ['hello.test:8080', 'hello.test:8080', 'hello.test:8080'],
])('HTTP/2: the service of :authority %s (host %s) is told %s', async (authority, host, told) => {
  expect(await ask({ ':authority': authority, ...(host !== undefined && { host }) })).toBe(200);
  expect(seen).toEqual([`rev-1 GET / ${told} ${told}`]);
});

test('HTTP/2: host serves where there is no :authority', async () => {
  expect(await ask({ ':authority': undefined, host: 'hello.test' })).toBe(200);
  expect(seen).toEqual(['rev-1 GET / hello.test hello.test']);
});

test('HTTP/2: a path that is an address is refused', async () => {
  // Of the scheme http nghttp2 refuses it itself.
  expect(await ask({ ':scheme': 'x', ':path': 'http://other.test/', ':authority': 'hello.test' })).toBe(400);
  expect(seen).toEqual([]);
});

// Fails when the authority of an absolute target is dropped.
test.each([
  ['http://other.test/', 'hello.test'],
  ['HTTP://hello.test/', 'other.test'],
  ['http://hello.test:81/', 'hello.test'],
  ['https://hello.test/', 'hello.test:80'],
  ['http://hello.test/', ''],
  ['http://a@hello.test/', 'a@hello.test'],
  ['http://other.test@hello.test/', 'hello.test'],
  ['http:///', ''],
  ['ftp://hello.test/', 'hello.test'],
  ['/', 'hello.test/other.test'],
  ['/', 'hello.test, other.test'],
  ['/', 'a@hello.test'],
])('HTTP/1.1: the target %s with Host %s reaches no service', async (target, host) => {
  expect(await exchange(target, host)).toBe(400);
  expect(seen).toEqual([]);
});

test('HTTP/1.1: a second Host reaches no service', async () => {
  expect(await exchange('/', 'hello.test', 'hOsT: other.test\r\n')).toBe(400);
  expect(await exchange('/', 'hello.test', 'hOsT: hello.test\r\n')).toBe(400);
  expect(seen).toEqual([]);
});

test('HTTP/1.1: an absolute target becomes a path, and its authority the host', async () => {
  await exchange('http://other.test/a?b', 'other.test');
  await exchange('http://other.test:80?b', 'Other.test');
  await exchange('http://hello.test', 'hello.test');
  await fixture.exchange('GET http://other.test/ HTTP/1.0\r\n\r\n');
  await fixture.exchange('OPTIONS * HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n\r\n');
  expect(seen).toEqual([
    'rev-other GET /a?b other.test other.test',
    'rev-other GET /?b other.test:80 other.test:80',
    'rev-1 GET / hello.test hello.test',
    'rev-other GET / other.test other.test',
    'rev-1 OPTIONS * hello.test hello.test',
  ]);
});

test('an upgrade is judged alike', async () => {
  const upgrade = 'Upgrade: websocket\r\n';
  const open = (target: string, host: string) =>
    fixture.exchange(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\n${upgrade}\r\n`);
  expect(await open('http://other.test/', 'hello.test')).toMatch(/^HTTP\/1\.1 400 /);
  expect(seen).toEqual([]);
  await open('http://other.test/a', 'other.test');
  expect(seen).toEqual(['rev-other GET /a other.test other.test']);
});
