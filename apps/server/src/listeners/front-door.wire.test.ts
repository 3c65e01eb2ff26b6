import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createFrontServer } from '@berth/gateway';
import { expect, test } from 'vitest';
import { createServiceAddresses } from '../addresses/service-address.ts';
import { createFrontDoor } from './front-door.ts';
import { answerText } from './plain-answers.ts';

/** Answers as the gateway does, with flat headers. */
const answerAsGateway = (response: ServerResponse, text: string) =>
  response.writeHead(200, 'OK', ['Content-Length', String(Buffer.byteLength(text))]).end(text);

/** The front door on a real port; answers say who was asked, for which host and target. */
async function openDoor() {
  const door = createFrontDoor();
  const front = createFrontServer(door);
  door.open({
    addresses: createServiceAddresses({ domain: 'apps.test', scheme: 'https', port: 443 }),
    gateway: {
      handleRequest: (name, request, response) =>
        void answerAsGateway(response, `${name} ${request.headers.host} ${request.url}`),
      handleUpgrade: (_name, _request, socket) => void socket.destroy(),
    },
    serveApi: (request, response) => answerText(response, 200, `api ${request.headers.host} ${request.url}`),
    serveStorage: (request, response) => answerText(response, 200, `storage ${request.headers.host}`),
    findProof: async (host, pathname) => `proof ${host} ${pathname}`,
    landingPage: '',
  });
  front.server.listen(0, '127.0.0.1');
  await once(front.server, 'listening');
  const { port } = front.server.address() as AddressInfo;
  return {
    async send(target: string, host: string) {
      const socket = connect(port, '127.0.0.1');
      socket.write(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return text(socket);
    },
    connectHttp2: () => connectHttp2('http://x', { createConnection: () => connect(port, '127.0.0.1') }),
    [Symbol.asyncDispose]: () => front.close(),
  };
}

// Fails when the front server leaves `Host` and the target as they came.
test('what routes a request is what whoever answers it is told', async () => {
  await using door = await openDoor();
  expect(await door.send('http://shop.apps.test/a', 'shop.apps.test')).toContain('shop shop.apps.test /a');
  expect(await door.send('http://api.apps.test/v1/x', 'api.apps.test')).toContain('api api.apps.test /v1/x');
  expect(await door.send('http://apps.test/.well-known/a', 'apps.test')).toContain('proof apps.test /.well-known/a');
  for (const target of ['http://api.apps.test/v1/x', 'http://storage.apps.test/', 'http://other.apps.test/']) {
    expect(await door.send(target, 'shop.apps.test')).toMatch(/^HTTP\/1\.1 400 /);
  }
});

test('so it is in HTTP/2', async () => {
  await using door = await openDoor();
  const session = door.connectHttp2();
  const ask = async (headers: Record<string, string>) => {
    const stream = session.request({ ':path': '/a', ...headers });
    const [answer] = await once(stream, 'response');
    return `${answer[':status']} ${await text(stream)}`;
  };
  expect(await ask({ ':authority': 'shop.apps.test', host: 'shop.apps.test' })).toBe('200 shop shop.apps.test /a');
  expect(await ask({ ':authority': 'shop.apps.test', host: 'api.apps.test' })).toMatch(/^400 /);
  expect(await ask({ ':authority': 'api.apps.test', host: 'shop.apps.test' })).toMatch(/^400 /);
  session.destroy();
});
