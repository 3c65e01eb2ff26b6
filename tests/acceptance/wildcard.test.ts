import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { buildPebble } from '../../packages/certificates/src/testing/build-pebble.ts';
import { startNameServer } from '../../packages/certificates/src/testing/start-name-server.ts';
import { startPebble } from '../../packages/certificates/src/testing/start-pebble.ts';
import type { Berth } from '../harness/berth.ts';
import { freePort } from '../harness/free-port.ts';
import { skipOrFail } from '../harness/needs.ts';
import { lacksServers, startServers } from '../harness/servers.ts';
import { waitFor } from '../harness/wait-for.ts';

const DOMAIN = 'apps.berth.test';
const RECORD = `_acme-challenge.${DOMAIN}`;

/** The certificate that a new connection for `host` is shown; undefined without one. */
async function shown(port: number, host: string) {
  const socket = connect({ port, host: '127.0.0.1', servername: host, rejectUnauthorized: false });
  try {
    await once(socket, 'secureConnect');
    const { subjectaltname, fingerprint256 } = socket.getPeerCertificate();
    return { names: subjectaltname, fingerprint: fingerprint256 };
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

/** Passes questions on to a name server, from the moment that the test says so. */
async function openRelay(dnsPort: number) {
  const relay = createSocket('udp4').bind(0, '127.0.0.1');
  await once(relay, 'listening');
  const sockets: Socket[] = [relay];
  const state = { isOpen: false };
  relay.on('message', (question, from) => {
    if (!state.isOpen) return;
    const asking = createSocket('udp4');
    sockets.push(asking);
    asking.on('message', (answer) => relay.send(answer, from.port, from.address));
    asking.send(question, dnsPort, '127.0.0.1');
  });
  const close = () => {
    for (const socket of sockets) socket.close();
  };
  return { ...state, port: relay.address().port, open: () => (state.isOpen = true), [Symbol.dispose]: close };
}

// Fails when only the server that orders knows of its record, or when only it serves the certificate.
it('a server that is killed while it proves the domain is followed by another, which cleans up, and both serve', {
  timeout: 240_000,
}, async (context) => {
  const programs = await buildPebble();
  const named = await startNameServer();
  if (typeof named === 'string') return skipOrFail(context, named);
  await using dns = named;
  const lacking = lacksServers() ?? (typeof programs === 'string' ? programs : undefined);
  if (lacking !== undefined || typeof programs === 'string') return skipOrFail(context, String(lacking));
  using folder = mkdtempDisposableSync(path.join(tmpdir(), 'berth-wildcard-'));
  await using pebble = await startPebble(programs, { httpPort: 1, dnsPort: dns.port });
  const ca = path.join(folder.path, 'ca.pem');
  writeFileSync(ca, pebble.ca);
  using relay = await openRelay(dns.port);
  const ports: readonly { readonly port: number; readonly tls: number }[] = [
    { port: await freePort(), tls: await freePort() },
    { port: await freePort(), tls: await freePort() },
  ];
  await using servers = await startServers({
    count: 2,
    env: {
      BERTH_DOMAIN: DOMAIN,
      BERTH_PUBLIC_SCHEME: 'http',
      BERTH_LEASE: '3',
      BERTH_ADMIN_PORT: '0',
      BERTH_LOG_LEVEL: 'info',
      BERTH_ACME_DIRECTORY: pebble.directoryUrl,
      BERTH_ACME_CA: ca,
      BERTH_ACME_DNS_SERVER: `127.0.0.1:${dns.port}`,
      BERTH_ACME_DNS_KEY: `hmac-sha256:berth:${dns.secret}`,
      BERTH_ACME_DNS_CHECK: `127.0.0.1:${relay.port}`,
      BERTH_ACME_DNS_TIMEOUT: '120',
    },
    argsOf: (index) => {
      const { port, tls } = ports[index] as (typeof ports)[number];
      return ['--port', String(port), '--public-port', String(port), '--tls-port', String(tls)];
    },
  });
  const [one, other] = servers.all as [Berth, Berth];
  const [tls, otherTls] = ports.map((each) => each.tls) as [number, number];
  await waitFor('the first proves the domain', async () => (await dns.txt(RECORD)).length === 2);
  const left = await dns.txt(RECORD);
  await one.kill9();
  relay.open();
  await waitFor('the other serves', async () => (await shown(otherTls, `a-service.${DOMAIN}`)) !== undefined, {
    timeoutMs: 60_000,
  });
  const served = await shown(otherTls, `a-service.${DOMAIN}`);
  expect(served?.names?.split(', ').sort()).toEqual([`DNS:*.${DOMAIN}`, `DNS:${DOMAIN}`]);
  await waitFor('the records are gone', async () => (await dns.txt(RECORD)).length === 0);
  expect(left).toHaveLength(2);

  await one.start();
  await waitFor('the first serves it too', async () => (await shown(tls, DOMAIN))?.fingerprint === served?.fingerprint);
  const adminUrl = /Metrics\s+(http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(other.output)?.[1];
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  expect(metrics).toMatch(/^berth_certificate_expiry_timestamp_seconds\{name="apps\.berth\.test"\} 1\d{9}/m);
  // The key is a secret of the name server.
  for (const berth of servers.all) expect(berth.output).not.toContain(dns.secret);
});
