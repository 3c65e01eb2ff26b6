import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { createSilentLogger, type Logger } from '@berth/kit';
import { createFakeClock, createRecordingLogger, waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { eventStream, serverSentEvent } from './event-stream.ts';
import { sendDirectly } from './send-directly.ts';

function open(follow: (signal: AbortSignal) => AsyncIterable<string>, logger: Logger = createSilentLogger()) {
  const clock = createFakeClock();
  const response = eventStream(follow, { clock, logger, silenceMs: 15_000, silence: ': nothing\n\n' });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const read = async () => {
    const { value } = await reader.read();
    return value && new TextDecoder().decode(value);
  };
  return { clock, response, reader, read };
}

test('events are sent as they come, and the end is the end', async () => {
  const { response, read } = open(async function* () {
    yield serverSentEvent('a', '1');
    yield serverSentEvent('b') + serverSentEvent('c');
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(response.headers.get('x-accel-buffering')).toBe('no');
  expect(await read()).toBe('id: 1\ndata: a\n\n');
  expect(await read()).toBe('data: b\n\ndata: c\n\n');
  expect(await read()).toBeUndefined();
});

test('a silence is told, again and again, and nothing is lost by it', async () => {
  const come = Promise.withResolvers<void>();
  const { clock, read } = open(async function* () {
    await come.promise;
    yield 'late';
  });
  for (let round = 0; round < 2; round++) {
    const said = read();
    await clock.elapse(15_000);
    expect(await said).toBe(': nothing\n\n');
  }
  come.resolve();
  expect(await read()).toBe('late');
});

test('a client that goes away is told to whoever makes the events', async () => {
  let isAborted = false;
  let isCleaned = false;
  const { reader } = open(async function* (signal) {
    signal.addEventListener('abort', () => {
      isAborted = true;
    });
    try {
      for (;;) yield 'x';
    } finally {
      isCleaned = true;
    }
  });
  await reader.read();
  await reader.cancel();
  expect({ isAborted, isCleaned }).toEqual({ isAborted: true, isCleaned: true });
});

test('an error ends the stream and is logged, not sent', async () => {
  const lines: string[] = [];
  const logger = { ...createSilentLogger(), error: (_fields: object, message: string) => void lines.push(message) };
  const { read } = open(async function* () {
    yield 'a';
    throw new Error('a secret');
  }, logger as Logger);
  expect(await read()).toBe('a');
  expect(await read()).toBeUndefined();
  expect(lines).toEqual(['a stream of events was cut off']);
});

/** The same stream over Node's own answer. */
async function serveDirect(follow: (signal: AbortSignal) => AsyncIterable<string>, cutOff?: AbortSignal) {
  const clock = createFakeClock();
  const lines: string[] = [];
  const logger = createRecordingLogger(lines);
  const server = createServer((_request, outgoing) => {
    const response = eventStream(follow, {
      clock,
      logger,
      silenceMs: 15_000,
      opening: ': open\n\n',
      ...(cutOff && { cutOff }),
    });
    response.headers.set('X-Other', 'kept');
    // As a middleware does that adds a header to an answer that is made.
    if (!sendDirectly(new Response(response.body, response), outgoing)) outgoing.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const response = await fetch(`http://127.0.0.1:${port}/`);
  const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>)
    .pipeThrough(new TextDecoderStream())
    .getReader();
  return {
    clock,
    response,
    reader,
    lines,
    async [Symbol.asyncDispose]() {
      await reader.cancel().catch(() => {});
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test('sent directly, headers, opening, events, silences and the end are the same', async () => {
  const come = Promise.withResolvers<void>();
  await using direct = await serveDirect(async function* () {
    yield serverSentEvent('a', '1');
    await come.promise;
    yield serverSentEvent('b');
  });
  expect(direct.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(direct.response.headers.get('x-other')).toBe('kept');
  let text = '';
  const readUntil = async (wanted: string) => {
    while (!text.endsWith(wanted)) text += (await direct.reader.read()).value ?? '';
  };
  await readUntil('data: a\n\n');
  direct.clock.advance(14_999);
  direct.clock.advance(1);
  await readUntil(': keep-alive\n\n');
  direct.clock.advance(15_000);
  await readUntil(': keep-alive\n\n: keep-alive\n\n');
  come.resolve();
  await readUntil('data: b\n\n');
  expect((await direct.reader.read()).done).toBe(true);
  expect(text).toBe(': open\n\nid: 1\ndata: a\n\n: keep-alive\n\n: keep-alive\n\ndata: b\n\n');
});

test('sent directly, a client that goes away is told, and one that reads slowly is waited for', async () => {
  const gone = Promise.withResolvers<void>();
  let made = 0;
  await using direct = await serveDirect(async function* (signal) {
    signal.addEventListener('abort', () => gone.resolve());
    for (;;) {
      made++;
      yield 'x'.repeat(1_000_000);
      // Gives others their turn, as what waits for a run does.
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  await direct.reader.read();
  const before = made;
  await waitUntil('the answer’s buffers are full', async () => {
    const seen = made;
    await new Promise((resolve) => setTimeout(resolve, 50));
    return made === seen;
  });
  expect(made - before).toBeLessThan(100);
  await direct.reader.cancel();
  await gone.promise;
});

test('sent directly, a client that does not read is cut off when it is wanted', async () => {
  const gone = Promise.withResolvers<void>();
  const cutOff = new AbortController();
  await using direct = await serveDirect(async function* (signal) {
    signal.addEventListener('abort', () => gone.resolve());
    yield 'x'.repeat(50_000_000);
  }, cutOff.signal);
  await direct.reader.read();
  cutOff.abort();
  await gone.promise;
  const readToEnd = async () => {
    while (!(await direct.reader.read()).done);
  };
  await expect(readToEnd()).rejects.toThrow();
});

test('sent directly, an error ends the answer and is logged, not sent', async () => {
  await using direct = await serveDirect(async function* () {
    yield 'a';
    throw new Error('a secret');
  });
  let text = '';
  for (let next = await direct.reader.read(); !next.done; next = await direct.reader.read()) text += next.value;
  expect(text).toBe(': open\n\na');
  expect(direct.lines.join()).toContain('a stream of events was cut off');
});

// Fails when a chunk's length counts characters, when empty text ends the answer, and when the last chunk is missing or doubled.
test('sent directly, answers are framed as their protocol wants, and the connection serves the next one', async () => {
  const clock = createFakeClock();
  const server = createServer((_request, outgoing) => {
    async function* follow() {
      yield serverSentEvent('größe');
      yield '';
      yield serverSentEvent('b');
    }
    sendDirectly(eventStream(follow, { clock, logger: createSilentLogger(), silenceMs: 15_000 }), outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const read = async (request: string, isRead: (text: string) => boolean) => {
    const socket = connect({ host: '127.0.0.1', port });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    socket.write(request);
    await waitUntil('the answer', () => isRead(text));
    socket.destroy();
    return text.split('\r\n\r\n').slice(1).join('\r\n\r\n');
  };
  const one = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n';
  const chunked = 'f\r\ndata: größe\n\n\r\n9\r\ndata: b\n\n\r\n0\r\n\r\n';
  const both = await read(one + one, (text) => text.split('0\r\n\r\n').length === 3);
  expect(both.split('HTTP/1.1')[0]).toBe(chunked);
  expect(both.endsWith(`\r\n\r\n${chunked}`)).toBe(true);
  const plain = await read('GET / HTTP/1.0\r\n\r\n', (text) => text.endsWith('b\n\n'));
  expect(plain).toBe('data: größe\n\ndata: b\n\n');
  await new Promise((resolve) => server.close(resolve));
});

test('any other answer is not sent directly', () => {
  expect(sendDirectly(new Response('x'), {} as never)).toBe(false);
});
