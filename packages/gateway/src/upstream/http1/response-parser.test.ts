import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UpstreamError } from '../../port/upstream.ts';
import { ResponseParser } from './response-parser.ts';

interface Seen {
  readonly information: { status: number; headers: readonly string[] }[];
  status: number | undefined;
  message: string;
  headers: readonly string[];
  body: string;
  trailers: readonly string[] | undefined;
  upgradeRest: string | undefined;
  canReuse: boolean;
  isComplete: boolean;
}

/** Parses `wire` in pieces of `size` bytes, followed by the end of the connection. */
function parse(wire: string, size = Number.POSITIVE_INFINITY, method = 'GET', isUpgrade = false): Seen {
  const seen: Seen = {
    information: [],
    status: undefined,
    message: '',
    headers: [],
    body: '',
    trailers: undefined,
    upgradeRest: undefined,
    canReuse: false,
    isComplete: false,
  };
  const parser = new ResponseParser({
    onInformation: (status, headers) => seen.information.push({ status, headers }),
    onResponse(response) {
      seen.status = response.status;
      seen.message = response.statusMessage;
      seen.headers = response.rawHeaders;
    },
    onData(chunk) {
      seen.body += chunk.toString('latin1');
    },
    onEnd(trailers) {
      expect(seen.trailers).toBeUndefined();
      seen.trailers = trailers;
    },
    onUpgrade(response, rest) {
      seen.status = response.status;
      seen.upgradeRest = rest.toString('latin1');
    },
  });
  parser.expect(method, isUpgrade);
  const bytes = Buffer.from(wire, 'latin1');
  for (let at = 0; at < bytes.length; at += size) parser.execute(bytes.subarray(at, Math.min(bytes.length, at + size)));
  seen.isComplete = parser.finish();
  seen.canReuse = parser.canReuse;
  return seen;
}

const expectBad = (wire: string) => expect(() => parse(wire)).toThrowError(UpstreamError);

test('a response with a length', () => {
  const seen = parse('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b \r\nX-A: c\r\n\r\nhello');
  expect(seen).toMatchObject({ status: 200, message: 'OK', body: 'hello', trailers: [], canReuse: true });
  expect(seen.headers).toEqual(['Content-Length', '5', 'X-A', 'b', 'X-A', 'c']);
});

test('a chunked one, with extensions and trailers', () => {
  const seen = parse(
    'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5;a=b\r\nhello\r\n1 \r\n!\r\n0\r\nX-Sum: 1\r\nX-B: 2\r\n\r\n',
  );
  expect(seen).toMatchObject({ body: 'hello!', trailers: ['X-Sum', '1', 'X-B', '2'], canReuse: true });
});

test('one that ends with its connection', () => {
  expect(parse('HTTP/1.0 200 OK\r\n\r\nhello')).toMatchObject({ body: 'hello', isComplete: true, canReuse: false });
});

test.each([
  ['HEAD', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'],
  ['HEAD', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'],
  ['GET', 'HTTP/1.1 204 No Content\r\n\r\n'],
  ['GET', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n'],
  ['GET', 'HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n'],
])('one without a body is complete with its head: %s %j', (method, wire) => {
  expect(parse(wire, 7, method)).toMatchObject({ body: '', trailers: [], canReuse: true });
});

test('informational ones come before; 100 is dropped', () => {
  const seen = parse(
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  );
  expect(seen.information).toEqual([{ status: 103, headers: ['Link', '</a>'] }]);
  expect(seen.status).toBe(200);
});

test('an upgrade hands over what follows', () => {
  const seen = parse('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\nframes', undefined, 'GET', true);
  expect(seen).toMatchObject({ status: 101, upgradeRest: 'frames' });
  expect(() => parse('HTTP/1.1 101 Switching Protocols\r\n\r\n')).toThrowError(UpstreamError);
});

test.each([
  ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\n\r\n', false],
])('the connection is reused only when that is safe: %j', (wire, canReuse) => {
  expect(parse(wire).canReuse).toBe(canReuse);
});

test.each([
  'HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n',
  'HTTP/1.1 200 OK\r\nContent-Le',
])('one that breaks off is not complete: %j', (wire) => {
  expect(parse(wire).isComplete).toBe(false);
});

test.each([
  'HTTP/2 200 OK\r\n\r\n',
  'garbage garbage\r\n\r\n',
  'HTTP/1.1 20 OK\r\n\r\n',
  'HTTP/1.1 200 OK\r\nno colon\r\n\r\n',
  'HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n',
  'HTTP/1.1 200 OK\r\nA : b\r\n\r\n',
  'HTTP/1.1 200 OK\r\n: b\r\n\r\n',
  'HTTP/1.1 200 OK\r\nA: b\nB: c\r\n\r\n',
  'HTTP/1.1 200 OK\r\nA: b\0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello!',
  'HTTP/1.1 200 OK\r\nContent-Length: 5, 5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nContent-Length: 0x5\r\n\r\nhello',
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhelloXX0\r\n\r\n',
  `HTTP/1.1 200 OK\r\nA: ${'x'.repeat(70_000)}`,
])('what two readers could take differently is refused: %.60j', (wire) => {
  expectBad(wire);
});

test('bytes of a response an unexpected response are refused', () => {
  const parser = new ResponseParser({ onInformation() {}, onResponse() {}, onData() {}, onEnd() {}, onUpgrade() {} });
  expect(() => parser.execute(Buffer.from('HTTP/1.1 200 OK\r\n\r\n'))).toThrowError('an unexpected response');
});

test('how the bytes are cut into pieces makes no difference', () => {
  const token = fc.stringMatching(/^[A-Za-z][A-Za-z0-9-]{0,12}$/);
  const reserved = /^(content-length|transfer-encoding|connection|keep-alive)$/i;
  const header = fc.tuple(
    token.filter((name) => !reserved.test(name)),
    fc.stringMatching(/^[!-~]{0,20}$/),
  );
  const piece = fc.stringMatching(/^[ -~\r\n]{1,40}$/);
  fc.assert(
    fc.property(
      fc.array(header, { maxLength: 4 }),
      fc.array(piece, { maxLength: 5 }),
      fc.array(header, { maxLength: 2 }),
      fc.constantFrom('chunked', 'length', 'eof'),
      fc.integer({ min: 1, max: 50 }),
      (headers, pieces, trailers, framing, size) => {
        const lines = (list: [string, string][]) => list.map(([name, value]) => `${name}: ${value}\r\n`).join('');
        const body = pieces.join('');
        const wire =
          framing === 'chunked'
            ? `HTTP/1.1 200 OK\r\n${lines(headers)}Transfer-Encoding: chunked\r\n\r\n${pieces
                .map((each) => `${each.length.toString(16)}\r\n${each}\r\n`)
                .join('')}0\r\n${lines(trailers)}\r\n`
            : `HTTP/1.1 200 OK\r\n${lines(headers)}${framing === 'length' ? `Content-Length: ${body.length}\r\n` : ''}\r\n${body}`;
        const seen = parse(wire, size);
        expect(seen).toEqual(parse(wire));
        expect(seen.body).toBe(body);
        expect(seen.isComplete).toBe(true);
        expect(seen.trailers).toEqual(framing === 'chunked' ? trailers.flat() : []);
        expect(seen.canReuse).toBe(framing !== 'eof');
      },
    ),
  );
});

test('no input makes it do anything but answer or refuse', () => {
  const noise = fc.oneof(
    fc.constantFrom(
      'HTTP/1.1 200 OK\r\n',
      'Content-Length: 3\r\n',
      'Transfer-Encoding: chunked\r\n',
      '\r\n',
      '3\r\nabc\r\n',
      '0\r\n',
    ),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(fc.array(noise, { maxLength: 12 }), fc.integer({ min: 1, max: 20 }), (parts, size) => {
      try {
        parse(parts.join(''), size);
      } catch (error) {
        expect(error).toBeInstanceOf(UpstreamError);
      }
    }),
    { numRuns: 500 },
  );
});
