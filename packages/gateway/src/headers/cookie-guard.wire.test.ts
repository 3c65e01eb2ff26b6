import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { raw, withApp } from '../testing/wire-exchange.ts';
import { createWireFixture } from '../testing/wire-fixture.ts';

/** Cookies that a hostile service tries to set, each with a word that identifies it. */
const REFUSED = [
  ...['bomb=1; Domain=apps.test', 'bomb=2;DOMAIN = .Apps.Test;Path=/', 'bomb=3; Domain=hello.apps.test; Domain=test'],
  ...['berth_session=bomb; Path=/', '__Host-berth_identity=bomb; Secure; Path=/', '=berth_form=bomb'],
];
const KEPT = ['own=1; Path=/', 'own=2; Domain=hello.apps.test'];
const lines = [...REFUSED, ...KEPT]
  .map((cookie, index) => `${index % 2 ? 'set-COOKIE' : 'Set-Cookie'}: ${cookie}\r\n`)
  .join('');

/** A service that sends cookies in an informational response, the head and the trailers. */
const hostile = raw((socket, read) => {
  if (!read.endsWith('\r\n\r\n')) return;
  const head = /\r\nupgrade: /i.test(read)
    ? `HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${lines}\r\n`
    : `HTTP/1.1 103 Early Hints\r\n${lines}\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: Set-Cookie\r\n${lines}\r\n2\r\nok\r\n0\r\n${lines}\r\n`;
  socket.end(head);
});

// Fails when `filterResponseHeaders` forwards every Set-Cookie.
test.each(['hello.apps.test', 'HELLO.apps.test:8443'])(
  'HTTP/1.1: no cookie leaves %s for other hosts',
  async (host) => {
    await using fixture = await createWireFixture({ program: hostile, target: { deployment: host.slice(0, 5) } });
    const answer = await fixture.exchange(
      `GET / HTTP/1.1\r\nHost: ${host}\r\nTE: trailers\r\nConnection: close\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 103 [\s\S]*HTTP\/1\.1 200 OK/);
    expect(answer).not.toContain('bomb');
    // In the informational head, the head and the trailers.
    for (const cookie of KEPT) expect(answer.split(`: ${cookie}\r\n`)).toHaveLength(4);
  },
);

test('HTTP/1.1: on a domain of its own a service sets no cookie for the domain above', async () => {
  await using fixture = await withApp((_request, response) => {
    response.setHeader('Set-Cookie', ['bomb=1; Domain=example.com', 'own=1; Domain=hello.example.com']);
    response.end();
  });
  const answer = await fixture.exchange('GET / HTTP/1.1\r\nHost: hello.example.com\r\nConnection: close\r\n\r\n');
  expect(answer).not.toContain('bomb');
  expect(answer).toContain('own=1');
});

test('a WebSocket handshake sets none either', async () => {
  await using fixture = await createWireFixture({ program: hostile });
  const answer = await fixture.exchange(
    'GET / HTTP/1.1\r\nHost: hello.apps.test\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 101 /);
  expect(answer).not.toContain('bomb');
  for (const cookie of KEPT) expect(answer).toContain(`: ${cookie}\r\n`);
});

test('HTTP/2: no cookie leaves for other hosts', async () => {
  await using fixture = await createWireFixture({ program: hostile });
  const session = connectHttp2('http://x', { createConnection: () => connect(fixture.port, '127.0.0.1') });
  const stream = session.request({ ':path': '/', ':authority': 'hello.apps.test' });
  const heads: (string[] | undefined)[] = [];
  for (const event of ['headers', 'response', 'trailers'] as const) {
    stream.on(event, (headers) => heads.push(headers['set-cookie']));
  }
  stream.resume();
  await once(stream, 'close');
  session.destroy();
  expect(heads).toEqual([KEPT, KEPT, KEPT]);
});

// Fails when `buildRequestHeaders` forwards `Cookie` unchanged.
test('a service is sent no cookie of the platform, over HTTP/1.1 and HTTP/2', async () => {
  const seen: (string | undefined)[] = [];
  await using fixture = await withApp((request, response) => {
    seen.push(request.headers.cookie);
    expect(request.rawHeaders.filter((name) => name.toLowerCase() === 'cookie').length).toBeLessThan(2);
    response.end();
  });
  const send = (cookies: string) =>
    fixture.exchange(`GET / HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n${cookies}\r\n`);
  await send('Cookie: a=1; berth_session=secret; b=2\r\n');
  await send('Cookie: __Host-berth_session=secret\r\n');
  await send('Cookie: a=1\r\ncookie: berth_form=secret\r\nCOOKIE: b=2\r\n');
  const session = connectHttp2('http://x', { createConnection: () => connect(fixture.port, '127.0.0.1') });
  const stream = session.request({
    ':path': '/',
    ':authority': 'hello.test',
    cookie: ['a=1', 'berth_identity=secret', 'b=2', 'berth_affinity=secret'],
  });
  stream.resume();
  await once(stream, 'close');
  session.destroy();
  expect(seen).toEqual(['a=1; b=2', undefined, 'a=1; b=2', 'a=1; b=2']);
});
