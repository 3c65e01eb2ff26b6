import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { TEST_CERTIFICATE } from '@berth/testkit';
import { expect, test } from 'vitest';
import { createAddressRule } from './address-rule.ts';
import { createGuardedConnections } from './guarded-connections.ts';
import { guardedFetch } from './guarded-fetch.ts';

test('over TLS the name is asked for and proven, though the connection goes to the address', async () => {
  const names: (string | false | null | undefined)[] = [];
  const server = createServer(TEST_CERTIFICATE, (request, response) => {
    names.push((request.socket as TLSSocket).servername);
    response.end('secret');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const connections = createGuardedConnections();
  const ask = async (host: string) =>
    guardedFetch({
      url: `https://${host}:${port}/`,
      protocols: ['https:'],
      connections,
      timeoutMs: 10_000,
      maxBytes: 100,
      resolve: async () => ['127.0.0.1'],
      isAllowed: createAddressRule(['127.0.0.1/32']),
    }).then(
      ({ body }) => String(body),
      (error: Error) => error.message,
    );
  const authorities = tls.getCACertificates();
  try {
    expect(await ask('hello.test')).toBe(`hello.test:${port} cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT).`);
    tls.setDefaultCACertificates([...authorities, TEST_CERTIFICATE.cert]);
    expect([await ask('hello.test'), await ask('hello.test')]).toEqual(['secret', 'secret']);
    for (const host of ['other.test', '127.0.0.1']) {
      expect(await ask(host)).toBe(`${host}:${port} cannot be reached (ERR_TLS_CERT_ALTNAME_INVALID).`);
    }
    expect(names).toEqual(['hello.test', 'hello.test']);
  } finally {
    tls.setDefaultCACertificates(authorities);
    connections.close();
    server.closeAllConnections();
    server.close();
  }
});
