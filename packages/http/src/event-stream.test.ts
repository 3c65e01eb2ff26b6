import { createSilentLogger, type Logger } from '@berth/kit';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { eventStream, serverSentEvent } from './event-stream.ts';

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
