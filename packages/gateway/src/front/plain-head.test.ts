import { createServer, type IncomingMessage } from 'node:http';
import { Duplex } from 'node:stream';
import { expect, test } from 'vitest';
import { type PlainHead, parsePlainHead } from './plain-head.ts';

/** More for a search: `BERTH_TEST_HEADS=1000000`. */
const CASES = Number(process.env['BERTH_TEST_HEADS'] ?? 20_000);
const LINES = [
  ...['Host: hello.test', 'User-Agent: test/1', 'Accept: */*', 'Cookie: a=1; b=2', 'X-Forwarded-For: 10.0.0.1'],
  ...['Content-Length: 0', 'Connection: keep-alive', 'Connection: close', 'Accept-Encoding: gzip, br', 'X-Empty:'],
  ...[
    'Content-Length: 5',
    'Transfer-Encoding: chunked',
    'Upgrade: websocket',
    'Expect: 100-continue',
    'Host: b.test:80',
  ],
  ...['traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'X-Word:  padded \t', 'TE: trailers'],
];
const STARTS = [
  ...['GET / HTTP/1.1', 'POST /a?b=c HTTP/1.1', 'HEAD /x%20y HTTP/1.1', 'OPTIONS * HTTP/1.1', 'get / HTTP/1.1'],
  ...[
    'GET http://hello.test/ HTTP/1.1',
    'GET / HTTP/1.0',
    'DELETE /[1]/~a HTTP/1.1',
    'GET  / HTTP/1.1',
    'GET /#a HTTP/1.1',
  ],
];
const ODD = [
  '\0',
  '\n',
  '\r',
  '\t',
  ' ',
  ':',
  ',',
  ';',
  '"',
  '\x7f',
  '\x80',
  'é',
  '\r\n',
  '\r\n ',
  '#',
  '{',
  '|',
  '5',
  'chunked',
];

/** A generator of numbers in [0, 1), the same for a seed. Source: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A head that is right, or nearly. */
function createHead(random: () => number): string {
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item;
  const lines = [random() < 0.8 ? (STARTS[Math.floor(random() * 3)] as string) : pick(STARTS)];
  if (random() < 0.95) lines.push('Host: hello.test');
  for (let count = Math.floor(random() * 6); count > 0; count--) lines.push(pick(LINES));
  let text = `${lines.join('\r\n')}\r\n`;
  for (let count = random() < 0.5 ? 0 : Math.floor(random() * 3); count > 0; count--) {
    const at = Math.floor(random() * text.length);
    text = `${text.slice(0, at)}${pick(ODD)}${text.slice(at + Math.floor(random() * 2))}`;
  }
  return Buffer.from(text, 'latin1').toString('latin1');
}

/** Node's server, asked over a connection in memory. */
function createNode() {
  const server = createServer({ requestTimeout: 0, headersTimeout: 0 });
  let answer: (request: IncomingMessage | undefined) => void = () => {};
  for (const event of ['request', 'upgrade', 'checkContinue', 'connect'])
    server.on(event, (request: IncomingMessage) => answer(request));
  server.on('clientError', () => answer(undefined));
  return {
    read: (head: string) =>
      new Promise<IncomingMessage | undefined>((resolve) => {
        answer = resolve;
        const socket = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
        server.emit('connection', socket);
        socket.push(Buffer.from(`${head}\r\n`, 'latin1'));
      }).finally(() => {
        answer = () => {};
      }),
  };
}

/** What both must agree on. */
const essenceOf = (
  { method, url, rawHeaders, headers }: Pick<IncomingMessage | PlainHead, 'method' | 'url' | 'rawHeaders' | 'headers'>,
  names: readonly string[],
) => ({
  ...{ method, url, rawHeaders },
  headers: Object.fromEntries(names.map((name) => [name, (headers as Record<string, unknown>)[name]])),
});

// Fails when a head is served from the socket that Node refuses or reads otherwise: a request could be smuggled past one of them.
test('what is accepted, Node accepts and reads in the same way', { timeout: 600_000 }, async () => {
  const node = createNode();
  const random = randomOf(1);
  let accepted = 0;
  for (let count = 0; count < CASES; count++) {
    const head = createHead(random);
    const own = parsePlainHead(head);
    if (own === undefined) continue;
    accepted++;
    const request = await node.read(head);
    const names = Object.keys(own.headers);
    expect(request && essenceOf(request, names), JSON.stringify(head)).toEqual(essenceOf(own, names));
    expect(
      request?.headers['transfer-encoding'] ?? request?.headers.upgrade ?? request?.headers.expect,
    ).toBeUndefined();
    expect(own.contentLength).toBe(
      names.includes('content-length') ? Number(request?.headers['content-length']) : undefined,
    );
  }
  expect(accepted).toBeGreaterThan(CASES / 10);
});

test.each([
  ['a usual one', 'GET /a?b=%20 HTTP/1.1\r\nHost: hello.test\r\nCookie: a=1\r\nContent-Length: 3\r\n', true],
  ['another method', 'PROPFIND / HTTP/1.1\r\nHost: a\r\n', false],
  ['HTTP/1.0', 'GET / HTTP/1.0\r\nHost: a\r\n', false],
  ['no host', 'GET / HTTP/1.1\r\nAccept: */*\r\n', false],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n', false],
  ['a host with a user', 'GET / HTTP/1.1\r\nHost: me@a\r\n', false],
  ['two lengths', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n', false],
  ['a signed length', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: +1\r\n', false],
  ['a coding', 'GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n', false],
  ['an upgrade', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n', false],
  ['a named hop', 'GET / HTTP/1.1\r\nHost: a\r\nConnection: X-Hop\r\nX-Hop: 1\r\n', false],
  ['a space before the colon', 'GET / HTTP/1.1\r\nHost : a\r\n', false],
  ['a folded line', 'GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\n 2\r\n', false],
  ['a bare line feed', 'GET / HTTP/1.1\r\nHost: a\nX: 1\r\n', false],
  ['a fragment', 'GET /#a HTTP/1.1\r\nHost: a\r\n', false],
  ['an absolute target', 'GET http://a/ HTTP/1.1\r\nHost: a\r\n', false],
])('%s', (_name, head, isPlain) => {
  expect(parsePlainHead(head) !== undefined).toBe(isPlain);
});
