import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connect } from 'node:tls';
import { type Clock, createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, type TestContext, test } from 'vitest';
import { type Certificates, createCertificates } from '../store/create-certificates.ts';
import { buildPebble, type PebblePrograms } from '../testing/build-pebble.ts';
import { createCollectingLogger } from '../testing/collecting-logger.ts';
import { type Pebble, type PebbleOptions, startPebble } from '../testing/start-pebble.ts';
import { type Acme, type AcmeOptions, createAcme } from './create-acme.ts';

const DAY_MS = 86_400_000;
const EXTERNAL_KEY = 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W';

let programs: PebblePrograms | string;
/** The platform's plain HTTP listener, which serves the challenge responses of the newest server. */
let listener: Server;
let httpPort: number;
let challenges: Acme['challenges'] | undefined;
let asked: string[] = [];
let folder: string;
let shiftMs = 0;
let logger: ReturnType<typeof createCollectingLogger>;
const closing: (() => unknown)[] = [];

/** The machine's clock with adjustable wall time. */
const clock: Clock = { ...createSystemClock(), nowMs: () => Date.now() + shiftMs };

beforeAll(async () => {
  programs = await buildPebble();
  listener = createServer(async (request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    const text = await challenges?.find(request.url ?? '');
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  httpPort = (listener.address() as AddressInfo).port;
}, 300_000);

afterAll(() => listener.close());

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'berth-acme-'));
  logger = createCollectingLogger();
  challenges = undefined;
  asked = [];
  shiftMs = 0;
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true });
});

async function pebbleFor(context: TestContext, options: Partial<PebbleOptions> = {}): Promise<Pebble> {
  if (typeof programs === 'string') return context.skip(programs);
  return startPebble(programs, { httpPort, ...options });
}

/** One run of the server. */
async function run(
  pebble: Pebble,
  options: Partial<AcmeOptions> = {},
): Promise<{ acme: Acme; certificates: Certificates }> {
  const certificates = await createCertificates({
    files: [],
    folder: path.join(folder, 'certificates'),
    clock,
    logger,
  });
  const { directoryUrl, ca } = pebble;
  const acmeFolder = path.join(folder, 'acme');
  const acme = await createAcme({
    directoryUrl,
    ca,
    email: 'op@berth.example',
    folder: acmeFolder,
    certificates,
    clock,
    logger,
    ...options,
  });
  challenges = acme.challenges;
  closing.push(
    () => certificates.close(),
    () => acme.close(),
  );
  return { acme, certificates };
}

const issued = (certificates: Certificates, name: string) =>
  waitUntil(`${name} has a certificate`, () => certificates.find(name) !== undefined, 25_000);
const failed = (acme: Acme, name: string) =>
  waitUntil(`the order of ${name} failed`, () => statusOf(acme, name)?.problem !== undefined, 25_000);
const statusOf = (acme: Acme, name: string) => acme.status().find((one) => one.name === name);
const ordersOf = (pebble: Pebble) => pebble.output.join('').match(/There are now \d+ orders/g)?.length ?? 0;

test('a name gets a certificate that verifies, over the plain listener, and keeps it after a restart', async (context) => {
  await using pebble = await pebbleFor(context);
  const { acme, certificates } = await run(pebble);
  acme.setNames(['shop.example', 'localhost', '*.shop.example']);
  acme.setNames(['shop.example']);
  await issued(certificates, 'shop.example');

  const server = https.createServer(certificates.tlsOptions, (_request, response) => response.end());
  closing.push(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', servername: 'shop.example', ca: await pebble.root() });
  await once(socket, 'secureConnect');
  expect(socket.authorized).toBe(true);
  socket.destroy();

  // The authority requests the response from several places at once.
  const [first = ''] = asked;
  expect(first).toMatch(/^shop\.example(:\d+)?\/\.well-known\/acme-challenge\/[\w-]+$/);
  expect(new Set(asked)).toEqual(new Set([first]));
  expect(await acme.challenges.find(first.slice(first.indexOf('/')))).toBeUndefined();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const { mode } = statSync(path.join(folder, name));
    expect([name, mode & 0o077]).toEqual([name, 0]);
  }

  const accountFile = () =>
    readFileSync(path.join(folder, 'acme', readdirSync(path.join(folder, 'acme'))[0] ?? ''), 'utf8');
  const account = accountFile();
  await acme.close();
  const again = await run(pebble);
  again.acme.setNames(['shop.example']);
  expect(again.acme.status()).toEqual([
    { name: 'shop.example', state: 'issued', notAfterMs: certificates.find('shop.example')?.notAfterMs },
  ]);
  again.acme.setNames(['shop.example', 'second.example']);
  await issued(again.certificates, 'second.example');
  expect(again.certificates.find('shop.example')).toEqual(certificates.find('shop.example'));
  expect(accountFile()).toBe(account);
  expect(ordersOf(pebble)).toBe(2);
});

test('a certificate is renewed with a third of its life left, not before, and serves until then', async (context) => {
  await using pebble = await pebbleFor(context);
  const { acme, certificates } = await run(pebble);
  acme.setNames(['shop.example']);
  await issued(certificates, 'shop.example');
  const first = certificates.find('shop.example');
  shiftMs = 59 * DAY_MS;
  acme.setNames(['shop.example']);
  expect(acme.status()).toEqual([expect.objectContaining({ state: 'issued' })]);
  expect(certificates.find('shop.example')).toEqual(first);
  shiftMs = 61 * DAY_MS;
  acme.setNames(['shop.example']);
  expect(certificates.secureContext('shop.example')).toBeDefined();
  await waitUntil('it is renewed', () => certificates.find('shop.example')?.fingerprint !== first?.fingerprint, 25_000);
  expect(ordersOf(pebble)).toBe(2);
});

test('many names are ordered once each, a few at a time', async (context) => {
  await using pebble = await pebbleFor(context);
  const { acme, certificates } = await run(pebble);
  const names = ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.example`);
  acme.setNames(names);
  expect(acme.status().filter(({ state }) => state === 'ordering')).toHaveLength(2);
  for (const name of names) acme.retry(name);
  for (const name of names) await issued(certificates, name);
  expect(ordersOf(pebble)).toBe(5);
});

test('a name that fails validation waits, also across a restart, and can be hastened to five minutes', async (context) => {
  await using pebble = await pebbleFor(context);
  const { acme } = await run(pebble);
  challenges = undefined;
  acme.setNames(['lost.example']);
  await failed(acme, 'lost.example');
  const { problem, retryAtMs = 0 } = statusOf(acme, 'lost.example') ?? {};
  expect(problem).toMatch(/lost\.example is not verified: unauthorized: .*404/);
  expect(Math.round((retryAtMs - clock.nowMs()) / 60_000)).toBe(5);
  await acme.close();

  const again = await run(pebble);
  again.acme.setNames(['lost.example']);
  again.acme.retry('lost.example');
  expect(again.acme.status()).toEqual([{ name: 'lost.example', state: 'waiting', problem, retryAtMs }]);
  shiftMs = 301_000;
  again.acme.retry('lost.example');
  await issued(again.certificates, 'lost.example');
  expect(again.acme.status()).toEqual([expect.not.objectContaining({ problem: expect.anything() })]);
  expect(ordersOf(pebble)).toBe(2);
});

test('a name that the authority refuses fails alone', async (context) => {
  await using pebble = await pebbleFor(context, { blockedDomains: ['blocked.example'] });
  const { acme, certificates } = await run(pebble);
  acme.setNames(['blocked.example', 'good.example']);
  await issued(certificates, 'good.example');
  await failed(acme, 'blocked.example');
  expect(statusOf(acme, 'blocked.example')?.problem).toContain('rejectedIdentifier');
});

test('an external account is bound where the authority asks for one', async (context) => {
  await using pebble = await pebbleFor(context, { externalAccounts: { 'kid-1': EXTERNAL_KEY } });
  const without = await run(pebble);
  without.acme.setNames(['shop.example']);
  await failed(without.acme, 'shop.example');
  expect(statusOf(without.acme, 'shop.example')?.problem).toContain('externalAccountRequired');
  await without.acme.close();
  shiftMs = 301_000;
  const { acme, certificates } = await run(pebble, { externalAccount: { kid: 'kid-1', hmacKey: EXTERNAL_KEY } });
  acme.setNames(['shop.example']);
  await issued(certificates, 'shop.example');
});

test('an account lost by the authority is registered again', async (context) => {
  await using pebble = await pebbleFor(context);
  const { acme, certificates } = await run(pebble);
  acme.setNames(['shop.example']);
  await issued(certificates, 'shop.example');
  await pebble.restart();
  acme.setNames(['shop.example', 'second.example']);
  await failed(acme, 'second.example');
  expect(statusOf(acme, 'second.example')?.problem).toContain('accountDoesNotExist');
  shiftMs = 301_000;
  acme.retry('second.example');
  await issued(certificates, 'second.example');
});

test('another directory is another account, and its certificates replace those of the first', async (context) => {
  await using staging = await pebbleFor(context);
  await using production = await pebbleFor(context);
  const first = await run(staging);
  first.acme.setNames(['shop.example']);
  await issued(first.certificates, 'shop.example');
  await first.acme.close();
  const { acme, certificates } = await run(production);
  acme.setNames(['shop.example']);
  await waitUntil(
    'the certificate is that of the new one',
    () => certificates.find('shop.example')?.stored?.source === production.directoryUrl,
    25_000,
  );
});

test('an ACME server with an untrusted certificate receives nothing', async (context) => {
  await using pebble = await pebbleFor(context);
  const { directoryUrl } = pebble;
  const certificates = await createCertificates({
    files: [],
    folder: path.join(folder, 'certificates'),
    clock,
    logger,
  });
  const acme = await createAcme({ directoryUrl, folder: path.join(folder, 'acme'), certificates, clock, logger });
  closing.push(
    () => certificates.close(),
    () => acme.close(),
  );
  acme.setNames(['shop.example']);
  await failed(acme, 'shop.example');
  expect(statusOf(acme, 'shop.example')?.problem).toMatch(/cannot be reached: .*self-signed/);
});
