import { waitUntil } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createWireWorld, httpProgram } from './testing/wire-world.ts';

const get = (path: string, headers = '') =>
  `GET ${path} HTTP/1.1\r\nHost: hello.test\r\nConnection: close\r\n${headers}\r\n`;

test('the first request starts the service and is answered by it', async () => {
  await using world = await createWireWorld({
    program: () => httpProgram((request, response) => response.end(`${request.method} ${request.url}`)),
  });
  const answer = await world.exchange(get('/a?b=c'));
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(answer.endsWith('GET /a?b=c')).toBe(true);
  await waitUntil('it is recorded', () => world.requests.length === 1);
  expect(world.requests[0]).toMatchObject({
    deployment: 'hello',
    revision: 'rev-1',
    status: 200,
    method: 'GET',
    url: '/a?b=c',
    host: 'hello.test',
    remoteIp: '127.0.0.1',
    coldStart: { queuedMs: expect.any(Number), firstByteMs: expect.any(Number) },
  });
});
