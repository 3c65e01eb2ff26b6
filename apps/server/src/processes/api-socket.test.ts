import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { createSilentLogger } from '@berth/kit';
import { afterAll, expect, it } from 'vitest';
import { createShutdown } from '../context/shutdown.ts';
import { apiSocketPath, serveApiSocket } from './api-socket.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'berth-api-socket-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('believes of a client what a worker says, and of a proxy what the operator trusts', async () => {
  const socketPath = path.join(folder, 'api.sock');
  const shutdown = createShutdown(createSilentLogger());
  await serveApiSocket(socketPath, {
    fetchApi: (_request, bindings) => new Response((bindings as { clientAddress: string }).clientAddress),
    serveStorage: (_request, response) => void response.end('storage'),
    isStorage: (host) => host === 'storage.test',
    trustedProxies: ['10.0.0.0/8'],
    shutdown,
  });
  const clientOf = (forwarded: string) =>
    new Promise<string>((resolve, reject) => {
      request({ socketPath, headers: { 'X-Forwarded-For': forwarded } }, (answer) => resolve(text(answer)))
        .on('error', reject)
        .end();
    });
  expect(await clientOf('192.0.2.7')).toBe('192.0.2.7');
  expect(await clientOf('198.51.100.1, 192.0.2.7')).toBe('192.0.2.7');
  expect(await clientOf('203.0.113.9, 198.51.100.1, 10.1.2.3')).toBe('198.51.100.1');
  const atStorage = await new Promise<string>((resolve, reject) => {
    request({ socketPath, headers: { host: 'storage.test' } }, (answer) => resolve(text(answer)))
      .on('error', reject)
      .end();
  });
  expect(atStorage).toBe('storage');
  await shutdown.run();
  await expect(clientOf('192.0.2.7')).rejects.toThrow();
});

it('finds a place for a socket whose path would be too long', () => {
  expect(apiSocketPath('/srv/berth')).toBe('/srv/berth/api.sock');
  const long = apiSocketPath(`/srv/${'a'.repeat(120)}`);
  expect(long.length).toBeLessThan(104);
  expect(statSync(path.dirname(long)).mode & 0o777).toBe(0o700);
  expect(apiSocketPath(`/srv/${'a'.repeat(120)}`)).toBe(long);
  expect(apiSocketPath(`/srv/${'b'.repeat(120)}`)).not.toBe(long);
  for (const letter of ['a', 'b'])
    rmSync(path.dirname(apiSocketPath(`/srv/${letter.repeat(120)}`)), { recursive: true });
});
