import { request as httpRequest, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { waitUntil } from '@berth/testkit';
import { expect } from 'vitest';
import { createWireFixture, httpProgram, type WireFixture } from './wire-fixture.ts';

export const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n${headers}\r\n`;

export const withApp = (listener: RequestListener, options: Partial<Parameters<typeof createWireFixture>[0]> = {}) =>
  createWireFixture({ program: () => httpProgram(listener), ...options });

/** A program that answers every connection's reads with raw bytes. */
export const raw = (answer: (socket: Socket, read: string) => void) => () =>
  createTcpServer((socket) => {
    let read = '';
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      read += chunk.toString('latin1');
      answer(socket, read);
    });
  });

/** Waits until a number has not changed for a while. */
export async function settled(count: () => number) {
  let before = -1;
  while (before !== count()) {
    before = count();
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

export const body = (answer: string) => answer.slice(answer.indexOf('\r\n\r\n') + 4);

export async function recorded(fixture: WireFixture, count = 1) {
  await waitUntil(`${count} requests are recorded`, () => fixture.requests.length >= count);
  expect(fixture.requests).toHaveLength(count);
  return fixture.requests[count - 1]!;
}

/** Sends a request with Node's client; resolves with its response. */
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
