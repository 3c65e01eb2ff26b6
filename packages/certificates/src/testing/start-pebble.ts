import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@berth/testkit';
import type { PebblePrograms } from './build-pebble.ts';
import { makeCertificate } from './make-certificate.ts';

/** Options of {@link startPebble}. */
export interface PebbleOptions {
  /** Port on 127.0.0.1 at which Pebble requests challenge responses for every name. */
  readonly httpPort: number;
  /** Base64url HMAC keys by key id. If set, registration requires one of them. */
  readonly externalAccounts?: Readonly<Record<string, string>>;
  readonly blockedDomains?: readonly string[];
  /** Port on 127.0.0.1 of a name server to ask, instead of one that resolves every name to loopback. */
  readonly dnsPort?: number;
}

/** A running Pebble server. */
export interface Pebble extends AsyncDisposable {
  readonly directoryUrl: string;
  /** PEM of the authority that certifies Pebble's own address. */
  readonly ca: string;
  /** Returns the PEM of the authority that issues certificates. It changes with each start. */
  root(): Promise<string>;
  /** All output so far. */
  readonly output: readonly string[];
  /** Restarts Pebble on the same address. It then has no accounts and no orders. */
  restart(): Promise<void>;
}

/** Starts Pebble and its DNS server; resolves when Pebble accepts requests. */
export async function startPebble(programs: PebblePrograms, options: PebbleOptions): Promise<Pebble> {
  const folder = mkdtempSync(path.join(tmpdir(), 'berth-pebble-'));
  const own = await makeCertificate({ names: ['localhost'], ips: ['127.0.0.1'] });
  const files = {
    cert: path.join(folder, 'cert.pem'),
    key: path.join(folder, 'key.pem'),
    config: path.join(folder, 'config.json'),
  };
  const [port, managementPort, ownDnsPort] = [await freePort(), await freePort(), await freePort()];
  const dnsPort = options.dnsPort ?? ownDnsPort;
  writeFileSync(files.cert, own.certPem);
  writeFileSync(files.key, own.keyPem);
  const pebble = {
    listenAddress: `127.0.0.1:${port}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: files.cert,
    privateKey: files.key,
    httpPort: options.httpPort,
    tlsPort: 1,
    ocspResponderURL: '',
    externalAccountBindingRequired: options.externalAccounts !== undefined,
    externalAccountMACKeys: options.externalAccounts ?? {},
    domainBlocklist: options.blockedDomains ?? [],
    keyAlgorithm: 'ecdsa',
    profiles: { default: { description: 'ninety days', validityPeriod: 7_776_000 } },
  };
  writeFileSync(files.config, JSON.stringify({ pebble }));
  const output: string[] = [];
  // No delay before validation, no reuse of authorizations, and one nonce in twenty is rejected, which clients must
  // handle.
  const env = { ...process.env, PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0', PEBBLE_WFE_NONCEREJECT: '5' };
  const run = (program: string, args: readonly string[]): ChildProcess => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
    return child;
  };
  const directoryUrl = `https://127.0.0.1:${port}/dir`;
  const start = async () => {
    const child = run(programs.pebble, ['-config', files.config, '-dnsserver', `127.0.0.1:${dnsPort}`]);
    await waitUntil('Pebble answers', () =>
      fetchText(directoryUrl, own.certPem).then(
        () => true,
        () => false,
      ),
    );
    return child;
  };
  const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-doh', '', '-management', '', '-defaultIPv6', ''];
  const dns = run(programs.dns, ['-dnsserver', `127.0.0.1:${ownDnsPort}`, ...off]);
  let server = await start();
  return {
    directoryUrl,
    ca: own.certPem,
    output,
    root: () => fetchText(`https://127.0.0.1:${managementPort}/roots/0`, own.certPem),
    async restart() {
      await end(server);
      server = await start();
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([end(server), end(dns)]);
      rmSync(folder, { recursive: true });
    },
  };
}

/** Ends a program at once. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Returns a port that is free at the moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

function fetchText(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { ca, timeout: 1_000 }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
    });
    request.on('error', reject).on('timeout', () => request.destroy(new Error('timed out')));
  });
}
