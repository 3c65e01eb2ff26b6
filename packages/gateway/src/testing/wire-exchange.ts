import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { waitUntil } from '@berth/testkit';
import { expect } from 'vitest';
import { createWireFixture, httpProgram, type WireFixture } from './wire-fixture.ts';

/** Returns the text of a GET request that closes its connection. */
export const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n${headers}\r\n`;

/** Creates a fixture whose instances run a request listener. */
export const withApp = (listener: RequestListener, options: Partial<Parameters<typeof createWireFixture>[0]> = {}) =>
  createWireFixture({ program: () => httpProgram(listener), ...options });

/** Returns a program that handles raw connections; `answer` is called on each read with all text read so far. */
export const raw = (answer: (socket: Socket, read: string) => void) => () =>
  createTcpServer((socket) => {
    let read = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1');
      answer(socket, read);
    });
  });

/** Waits until a number has not changed for 100 ms. */
export async function settled(count: () => number) {
  let before = -1;
  while (before !== count()) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Returns the body of a raw response. */
export const body = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

/** Waits for `count` request records and returns the last. */
export async function recorded(fixture: WireFixture, count = 1) {
  await waitUntil(`${count} requests are recorded`, () => fixture.requests.length >= count);
  expect(fixture.requests).toHaveLength(count);
  return fixture.requests[count - 1]!;
}

/** Sends a request with Node's client and returns it with a promise of its response. */
export function send(
  fixture: WireFixture,
  options: { method?: string; path?: string; headers?: Record<string, string> },
) {
  const request = httpRequest(`${fixture.origin}${options.path ?? '/'}`, {
    method: options.method ?? 'GET',
    headers: { host: 'hello.test', ...options.headers },
    agent: false,
  });
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  response.catch(() => {});
  return { request, response };
}
