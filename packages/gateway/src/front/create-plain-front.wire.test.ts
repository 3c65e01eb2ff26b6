import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { recorded, withApp } from '../testing/wire-exchange.ts';

const echo: RequestListener = async (request, response) => {
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>);
  response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)};`);
};

/** A connection to a fixture that collects what it reads, and how many requests Node's server has had. */
async function open(app = echo, options: Parameters<typeof withApp>[1] = {}) {
  const fixture = await withApp(app, options);
  let ofNode = 0;
  (fixture.server as Server).prependListener('request', () => ofNode++);
  const socket: Socket = await fixture.connect();
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  return {
    ...{ fixture, socket },
    get text() {
      return text;
    },
    get ofNode() {
      return ofNode;
    },
    answered: (count: number) => waitUntil('it is answered', () => text.split('HTTP/1.1 ').length > count),
    has: (part: string) => waitUntil(`it has ${part}`, () => text.includes(part)),
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_value, byte) => byte));

const head = (line: string, ...headers: readonly string[]) =>
  `${[`${line} HTTP/1.1`, 'Host: hello.test', ...headers].join('\r\n')}\r\n\r\n`;

// Fails when usual requests take the long way, or one that comes with another is lost or answered out of order.
test('usual requests are served from the socket, however they are cut, in their order', async () => {
  await using client = await open();
  client.socket.write(`${head('GET /1')}${head('POST /2', 'Content-Length: 5')}he`);
  await client.has('GET /1 ;');
  client.socket.write(`llo${head('GET /3')}`);
  await client.has('GET /3 ;');
  expect([...client.text.matchAll(/(?:GET|POST) \/\d \w*;/g)].map(String)).toEqual([
    'GET /1 ;',
    'POST /2 hello;',
    'GET /3 ;',
  ]);
  expect(client.ofNode).toBe(0);
  const record = await recorded(client.fixture, 3);
  expect(record).toMatchObject({ method: 'GET', url: '/3', status: 200, protocol: 'HTTP/1.1' });
});

// Fails when a connection is lost to its first unusual request, or bytes of it are read twice.
test('an unusual request goes to Node’s server, with all that follow on its connection', async () => {
  await using client = await open();
  client.socket.write(head('GET /1'));
  await client.has('GET /1 ;');
  client.socket.write(`${head('POST /2', 'Transfer-Encoding: chunked')}5\r\nhello\r\n0\r\n\r\n${head('GET /3')}`);
  await client.has('GET /3 ;');
  expect(client.text).toContain('POST /2 hello;');
  expect(client.ofNode).toBe(2);
});

test.each([
  [
    'with a length',
    (response: { setHeader(name: string, value: string): void; end(text: string): void }) => {
      response.setHeader('Content-Length', '5');
      response.end('hello');
    },
  ],
  [
    'without a length',
    (response: { end(text: string): void; write(text: string): void }) => {
      response.write('hel');
      setTimeout(() => response.end('lo'), 20);
    },
  ],
  [
    'of small and large chunks of any bytes',
    (response: { end(bytes: Buffer): void; write(bytes: Buffer): void }) => {
      response.write(EVERY_BYTE);
      setTimeout(() => response.end(Buffer.concat(Array.from({ length: 32 }, () => EVERY_BYTE))), 20);
    },
  ],
])('a response %s has the bytes that Node would write', async (_name, answer) => {
  const app: RequestListener = (_request, response) => {
    response.sendDate = false;
    response.setHeader('Date', 'Thu, 01 Jan 1970 00:00:00 GMT');
    answer(response as never);
  };
  const read = async (unusual: readonly string[]) => {
    await using client = await open(app);
    client.socket.write(head('GET /', 'Connection: close', ...unusual));
    await once(client.socket, 'close');
    expect(client.ofNode).toBe(unusual.length);
    return client.text;
  };
  // A header that only Node may read.
  expect(await read([])).toBe(await read(['TE: gzip']));
});

test('an idle connection is closed, before its first request and after one', async () => {
  await using client = await open(echo, { limits: { keepAliveMs: 500, headTimeoutMs: 5_000 } });
  client.socket.write(head('GET /1'));
  await client.has('GET /1 ;');
  await once(client.socket, 'close');
  expect(client.ofNode).toBe(0);
});

// Fails when a client that goes away keeps the slot of its request.
test('a client that disconnects ends its request', async () => {
  let ended = 0;
  await using client = await open((request) => request.on('close', () => ended++));
  client.socket.write(head('GET /1'));
  await waitUntil('it is running', () => client.fixture.runtime.instances.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  client.socket.destroy();
  await waitUntil('it has ended', () => ended === 1);
  expect(await recorded(client.fixture)).toMatchObject({ status: 499 });
});

test('a large body waits for the instance, and a large response for the client', async () => {
  const size = 4 * 2 ** 20;
  await using client = await open((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      request.pause();
      setTimeout(() => request.resume(), 1);
    });
    request.on('end', () => response.end(Buffer.alloc(size, String(bytes === size))));
  });
  client.socket.write(head('POST /', `Content-Length: ${size}`));
  client.socket.write(Buffer.alloc(size, 'x'));
  await client.answered(1);
  client.socket.pause();
  await new Promise((resolve) => setTimeout(resolve, 100));
  client.socket.resume();
  await waitUntil('all is there', () => client.text.length > size);
  expect(client.text).toContain('truetrue');
  expect(client.ofNode).toBe(0);
});

const PART_BYTES = 12_345;

// Fails when memory that a slow client still waits for is read into again.
test('bytes for slow clients and for quick ones do not mix', async () => {
  // Slow clients get more than the kernel takes for them.
  const bodyOf = (path: string) => Buffer.alloc(path.startsWith('/slow') ? 24_000_000 : 1_000_000, path);
  // In parts that fit into the client's stream: several are read while the first one waits.
  await using fixture = await withApp(async (request, response) => {
    const body = bodyOf(request.url ?? '');
    response.setHeader('Content-Length', body.length);
    for (let at = 0; at < body.length; at += PART_BYTES) {
      if (!response.write(body.subarray(at, at + PART_BYTES))) await once(response, 'drain');
      await new Promise(setImmediate);
    }
    response.end();
  });
  const download = async (path: string) => {
    const socket = await fixture.connect();
    socket.write(head(`GET ${path}`, 'Connection: close'));
    if (path.startsWith('/slow')) await quickOnes;
    const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>));
    const received = answer.subarray(answer.indexOf('\r\n\r\n') + 4);
    expect(received.equals(bodyOf(path)), path).toBe(true);
  };
  const started = Promise.withResolvers<void>();
  const quickOnes = started.promise.then(async () => {
    for (let round = 0; round < 8; round++) await Promise.all([1, 2, 3, 4].map((id) => download(`/quick-${id}`)));
  });
  const slowOnes = Promise.all(['a', 'b', 'c'].map((id) => download(`/slow-${id}`)));
  setTimeout(started.resolve, 300);
  await Promise.all([slowOnes, quickOnes]);
});
