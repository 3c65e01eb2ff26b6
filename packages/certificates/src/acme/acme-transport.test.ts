import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { afterEach, expect, test } from 'vitest';
import { createCollectingLogger } from '../testing/collecting-logger.ts';
import { makeCertificate } from '../testing/make-certificate.ts';
import { createAcmeTransport } from './acme-transport.ts';
import { createAcme } from './create-acme.ts';

const closing: (() => unknown)[] = [];
const clock = createSystemClock();

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(answer: RequestListener): Promise<{ readonly url: string; readonly ca: string }> {
  const { certPem, keyPem } = await makeCertificate({ names: ['localhost'], ips: ['127.0.0.1'] });
  const server = createServer({ cert: certPem, key: keyPem }, answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => server.close(),
    () => server.closeAllConnections(),
  );
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/dir`, ca: certPem };
}

async function transportTo(answer: RequestListener, signal = new AbortController().signal) {
  const { url, ca } = await serve(answer);
  const transport = createAcmeTransport({ ca, signal, nowMs: () => clock.nowMs() });
  return { ask: () => transport(url, 'post', { data: { a: 1 } }), url };
}

test('JSON is parsed and everything else is text', async () => {
  const bodies: string[] = [];
  const { ask } = await transportTo((request, response) => {
    request.on('data', (chunk) => bodies.push(`${request.method} ${request.headers['content-type']} ${chunk}`));
    const isJson = bodies.length === 0;
    response.setHeader('content-type', isJson ? 'application/problem+json' : 'application/pem-certificate-chain');
    request.on('end', () => response.end('{"a":1}'));
  });
  expect((await ask()).data).toEqual({ a: 1 });
  expect((await ask()).data).toBe('{"a":1}');
  expect(bodies).toEqual(Array(2).fill('POST application/jose+json {"a":1}'));
});

test('a refused request has a type and a retry delay', async () => {
  const { ask } = await transportTo((_request, response) => {
    response.writeHead(429, { 'content-type': 'application/problem+json', 'retry-after': '3600' });
    response.end('{"type":"urn:ietf:params:acme:error:rateLimited","detail":"too many new orders"}');
  });
  await expect(ask()).rejects.toMatchObject({
    type: 'rateLimited',
    retryAfterMs: 3_600_000,
    message: 'The ACME server refused /dir: rateLimited: too many new orders',
  });
});

test('a refused nonce is left to the client', async () => {
  const { ask } = await transportTo((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/problem+json', 'replay-nonce': 'next' });
    response.end('{"type":"urn:ietf:params:acme:error:badNonce"}');
  });
  expect(await ask()).toMatchObject({ status: 400, headers: { 'replay-nonce': 'next' } });
});

test('an endless response is cut off', async () => {
  const { ask } = await transportTo((_request, response) => {
    const write = () => {
      while (response.write(Buffer.alloc(65_536)));
      response.once('drain', write);
    };
    write();
  });
  await expect(ask()).rejects.toThrow('its response is too long');
});

test('redirects are not followed', async () => {
  let count = 0;
  const { ask } = await transportTo((_request, response) => {
    count++;
    response.writeHead(307, { location: '/other' }).end();
  });
  expect((await ask()).status).toBe(307);
  expect(count).toBe(1);
});

test('plain HTTP is refused before anything is sent', async () => {
  const { signal } = new AbortController();
  const transport = createAcmeTransport({ signal, nowMs: () => clock.nowMs() });
  await expect(transport('http://127.0.0.1:1/dir', 'get')).rejects.toThrow('https://');
});

test('closing ends an order whose server does not answer, and records no failure', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-acme-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  let isAsked = false;
  const { url, ca } = await serve(() => {
    isAsked = true;
  });
  const certificates = { find: () => undefined, add: async () => {} };
  const logger = createCollectingLogger();
  const acme = await createAcme({ directoryUrl: url, ca, folder, certificates, clock, logger });
  acme.setNames(['a.example']);
  await waitUntil('the server is asked', () => isAsked);
  await Promise.all([acme.close(), acme.close()]);
  expect(acme.status()).toEqual([{ name: 'a.example', state: 'waiting' }]);
  expect(logger.lines).toEqual([]);
});

test('a rate limit of the server delays the next order', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-acme-'));
  closing.push(() => rmSync(folder, { recursive: true }));
  let count = 0;
  const { url, ca } = await serve((_request, response) => {
    count++;
    response.writeHead(503, { 'retry-after': '86400' }).end('busy');
  });
  const certificates = { find: () => undefined, add: async () => {} };
  const acme = await createAcme({
    directoryUrl: url,
    ca,
    folder,
    certificates,
    clock,
    logger: createCollectingLogger(),
  });
  closing.push(() => acme.close());
  acme.setNames(['a.example']);
  await waitUntil('it failed', () => acme.status()[0]?.problem !== undefined && acme.status()[0]?.state === 'waiting');
  acme.setNames(['a.example']);
  acme.retry('a.example');
  const { state, problem, retryAtMs = 0 } = acme.status()[0] ?? {};
  expect([state, problem]).toEqual(['waiting', 'The ACME server refused /dir: it answered 503']);
  expect(Math.round((retryAtMs - clock.nowMs()) / 3_600_000)).toBe(24);
  expect(count).toBe(1);
});
