import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createSilentLogger } from '@berth/kit';
import { createRecordingLogger } from '@berth/testkit';
import { afterEach, expect, test } from 'vitest';
import { byteStream } from './byte-stream.ts';
import { sendDirectly } from './send-directly.ts';

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

const answerOf = (bytes: AsyncIterable<Uint8Array>, logger = createSilentLogger()) =>
  byteStream(bytes, { status: 200, headers: new Headers({ 'content-type': 'text/plain' }), logger });

/** A server that answers with `bytes` over Node's own response. */
async function serve(bytes: () => AsyncIterable<Uint8Array>, lines: string[] = []): Promise<string> {
  const server = createServer((_request, response) => {
    if (!sendDirectly(answerOf(bytes(), createRecordingLogger(lines)), response)) throw new Error('not sent');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function* failing() {
  yield Buffer.from('half');
  throw new Error('it broke');
}

test('bytes come as they are made, with their head', async () => {
  async function* pieces() {
    for (const piece of ['a', 'b', 'c']) yield Buffer.from(piece);
  }
  const response = await fetch(await serve(pieces));
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    'text/plain',
    'abc',
  ]);
  expect(await answerOf(pieces()).text()).toBe('abc');
});

test('what fails in the middle is cut, so that nobody takes it for the whole', async () => {
  const lines: string[] = [];
  const read = async () => await (await fetch(await serve(failing, lines))).text();
  await expect(read()).rejects.toThrow();
  expect(lines.join()).toContain('it broke');
  await expect(answerOf(failing()).text()).rejects.toThrow('it broke');
});

test('who makes the bytes hears that the reader has gone', async () => {
  const returned = Promise.withResolvers<void>();
  async function* endless() {
    try {
      for (;;) yield Buffer.alloc(65_536);
    } finally {
      returned.resolve();
    }
  }
  const gone = new AbortController();
  const response = await fetch(await serve(endless), { signal: gone.signal });
  await response.body?.getReader().read();
  gone.abort();
  await returned.promise;
});
