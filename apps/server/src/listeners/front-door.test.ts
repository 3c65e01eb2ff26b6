import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFrontServer } from '@berth/gateway';
import { expect, test } from 'vitest';
import { createServiceAddresses } from '../addresses/service-address.ts';
import { createFrontDoor, type FrontDoorParts } from './front-door.ts';
import { answerText } from './plain-answers.ts';

const addresses = createServiceAddresses({ domain: 'apps.test', scheme: 'https', port: 443 });

/** Answers as the gateway does, with flat headers. */
const answerAsGateway = (response: ServerResponse, text: string) =>
  response.writeHead(200, 'OK', ['Content-Length', String(Buffer.byteLength(text))]).end(text);

/** A front door on a real port. Each part answers its own name, method and path. */
async function listen() {
  const door = createFrontDoor();
  const front = createFrontServer(door);
  front.server.listen(0, '127.0.0.1');
  await once(front.server, 'listening');
  const { port } = front.server.address() as AddressInfo;
  const send = async (method: string, host: string, target: string, more = '') => {
    const socket = connect(port, '127.0.0.1');
    socket.write(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${more || 'Connection: close\r\n'}\r\n`);
    const answer = await text(socket);
    return { status: Number(answer.split(' ', 2)[1]), head: answer.split('\r\n\r\n')[0] ?? '', answer };
  };
  return {
    send,
    upgrade: (host: string) => send('GET', host, '/ws', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'),
    open(changes: Partial<FrontDoorParts> = {}) {
      door.open({
        addresses,
        gateway: {
          handleRequest: (name, { method, url }, response) =>
            void answerAsGateway(response, `service ${name} ${method} ${url}`),
          handleUpgrade: (name, _request, socket) => void socket.end(`HTTP/1.1 101 upgraded ${name}\r\n\r\n`),
        },
        serveApi: ({ method, url }, response) => answerText(response, 200, `api ${method} ${url}`),
        serveStorage: ({ method, url }, response) => answerText(response, 200, `storage ${method} ${url}`),
        findProof: async () => undefined,
        landingPage: '<title>landing</title>',
        ...changes,
      });
    },
    [Symbol.asyncDispose]: () => front.close(),
  };
}

// Fails when a part is asked before it is there, or an upgrade during a start gets a status that says not to try again.
test('until it is open, everything is told to try again', async () => {
  await using door = await listen();
  for (const host of ['shop.apps.test', 'api.apps.test', 'elsewhere.test']) {
    const { status, head } = await door.send('GET', host, '/');
    expect([host, status]).toEqual([host, 503]);
    expect(head).toContain('Retry-After: 1');
    expect((await door.upgrade(host)).status).toBe(503);
  }
  door.open();
  expect((await door.send('GET', 'shop.apps.test', '/')).status).toBe(200);
});

test.each([
  ['GET', 'shop.apps.test', '/a', 'service shop GET /a'],
  ['POST', 'api.apps.test', '/v1/deploy', 'api POST /v1/deploy'],
  ['PUT', 'storage.apps.test', '/v1/objects/x', 'storage PUT /v1/objects/x'],
  ['GET', 'api.apps.test', '/', '<title>landing</title>'],
  ['GET', '127.0.0.1:8787', '/', '<title>landing</title>'],
  // Only a GET of the root itself is a look at the page.
  ['POST', 'api.apps.test', '/', 'api POST /'],
  ['GET', 'api.apps.test', '/?a', 'api GET /?a'],
  // A service has its own root.
  ['GET', 'shop.apps.test', '/', 'service shop GET /'],
])('%s %s%s', async (method, host, target, expected) => {
  await using door = await listen();
  door.open();
  const { status, answer } = await door.send(method, host, target);
  expect(status).toBe(200);
  expect(answer).toContain(expected);
});

// Fails when a host is repeated at any length, or as something that a browser would run.
test('a host that nothing is served at is named, shortened, as plain text', async () => {
  await using door = await listen();
  door.open();
  const { status, head, answer } = await door.send('GET', `${'h'.repeat(300)}.test`, '/');
  expect(status).toBe(404);
  expect(answer).toContain(`No service at ${'h'.repeat(200)}.`);
  expect(head.toLowerCase()).toContain('content-type: text/plain');
  expect(head.toLowerCase()).toContain('x-content-type-options: nosniff');
});

test('the console is asked first on the hosts of the platform, and never on those of services', async () => {
  await using door = await listen();
  const asked: string[] = [];
  door.open({
    serveConsole({ url = '' }, response) {
      asked.push(url);
      if (url !== '/page') return false;
      answerText(response, 200, 'the console');
      return true;
    },
  });
  expect((await door.send('GET', 'apps.test', '/page')).answer).toContain('the console');
  expect((await door.send('GET', 'apps.test', '/v1/x')).answer).toContain('api GET /v1/x');
  expect((await door.send('GET', 'shop.apps.test', '/page')).answer).toContain('service shop');
  expect((await door.send('GET', 'storage.apps.test', '/page')).answer).toContain('storage');
  expect(asked).toEqual(['/page', '/v1/x']);
});

test('proofs come before everything else, to a GET below /.well-known/ alone', async () => {
  await using door = await listen();
  const asked: string[] = [];
  door.open({
    httpsRedirect: () => 'https://elsewhere.test/',
    async findProof(host, pathname) {
      asked.push(`${host}${pathname}`);
      return pathname.endsWith('/proof') ? 'the proof' : undefined;
    },
  });
  const proof = await door.send('GET', 'Custom.test:80', '/.well-known/proof');
  expect([proof.status, proof.answer]).toEqual([200, expect.stringContaining('the proof')]);
  expect((await door.send('GET', 'custom.test', '/.well-known/other')).status).toBe(308);
  expect((await door.send('POST', 'custom.test', '/.well-known/proof')).status).toBe(308);
  expect((await door.send('GET', 'custom.test', '/well-known/proof')).status).toBe(308);
  expect(asked).toEqual(['custom.test/.well-known/proof', 'custom.test/.well-known/other']);
});

// Fails when the failure of a look-up is not caught: the request would hang, and the rejection end the process.
test('a look-up of a proof that fails leaves the request to its service', async () => {
  await using door = await listen();
  door.open({ findProof: () => Promise.reject(new Error('the control process has ended')) });
  expect((await door.send('GET', 'shop.apps.test', '/.well-known/x')).answer).toContain(
    'service shop GET /.well-known/x',
  );
});

test('upgrades go to services alone', async () => {
  await using door = await listen();
  door.open();
  expect((await door.upgrade('shop.apps.test')).answer).toContain('101 upgraded shop');
  expect((await door.upgrade('api.apps.test')).status).toBe(400);
  expect((await door.upgrade('storage.apps.test')).status).toBe(400);
  expect((await door.upgrade('elsewhere.test')).status).toBe(404);
});

// Fails when an upgrade isn't redirected: a WebSocket would go on in the clear beside a site that doesn't.
test('a redirect covers requests and upgrades, with the same method and body', async () => {
  await using door = await listen();
  door.open({
    httpsRedirect: (_request, host) => (host === 'shop.apps.test' ? 'https://shop.apps.test/x' : undefined),
  });
  for (const { status, head } of [
    await door.send('POST', 'shop.apps.test', '/x'),
    await door.upgrade('shop.apps.test'),
  ]) {
    expect(status).toBe(308);
    expect(head).toContain('Location: https://shop.apps.test/x');
  }
  expect((await door.send('GET', 'api.apps.test', '/v1/x')).status).toBe(200);
});
