import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Clock, createSystemClock } from '@berth/kit';
import { waitUntil } from '@berth/testkit';
import { afterEach, beforeAll, beforeEach, expect, type TestContext, test } from 'vitest';
import { createDnsChallenges, type DnsRecord } from '../dns/dns-records.ts';
import { createDynamicUpdates } from '../dns/dynamic-updates.ts';
import { createSettledCheck, findZone } from '../dns/name-servers.ts';
import { createCertificates } from '../store/create-certificates.ts';
import { buildPebble, type PebblePrograms } from '../testing/build-pebble.ts';
import { createCollectingLogger } from '../testing/collecting-logger.ts';
import { type NameServerFixture, startNameServer } from '../testing/start-name-server.ts';
import { startPebble } from '../testing/start-pebble.ts';
import { createAcme } from './create-acme.ts';

const DOMAIN = 'apps.berth.test';
const RECORD = `_acme-challenge.${DOMAIN}`;
const DAY_MS = 86_400_000;
let programs: PebblePrograms | string;
let named: NameServerFixture | string;
let folder: string;
let shiftMs: number;
let logger: ReturnType<typeof createCollectingLogger>;
const closing: (() => unknown)[] = [];
const clock: Clock = { ...createSystemClock(), nowMs: () => Date.now() + shiftMs };

beforeAll(async () => {
  programs = await buildPebble();
}, 300_000);

beforeEach(async () => {
  shiftMs = 0;
  named = await startNameServer();
  folder = mkdtempSync(path.join(tmpdir(), 'berth-wildcard-'));
  logger = createCollectingLogger();
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  if (typeof named !== 'string') await named[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

function nameServer(context: TestContext): NameServerFixture {
  return typeof named === 'string' ? context.skip(named) : named;
}

/** A list that outlives the servers of a test, as the database does. */
function createList() {
  const records: DnsRecord[] = [];
  return {
    records,
    list: async () => [...records],
    add: async (record: DnsRecord) => void records.push(record),
    remove: async ({ value }: DnsRecord) =>
      void records.splice(
        records.findIndex((one) => one.value === value),
        1,
      ),
  };
}

function providerOf({ port, secret }: NameServerFixture, keySecret = secret) {
  const server = { host: '127.0.0.1', port };
  return createDynamicUpdates({
    ...{ server, clock: createSystemClock() },
    key: { name: 'berth', secret: Buffer.from(keySecret, 'base64') },
    findZone: (name) => findZone(name, server),
  });
}

function challengesOf(
  dns: NameServerFixture,
  list = createList(),
  options: { timeoutMs?: number; checked?: number } = {},
) {
  const { timeoutMs = 20_000, checked = dns.port } = options;
  const servers = async () => [{ host: '127.0.0.1', port: checked }];
  const settled = createSettledCheck({ servers, timeoutMs, clock: createSystemClock() });
  return createDnsChallenges({ provider: providerOf(dns), records: list, settled, logger });
}

/** One run of the server, with a plain listener for names that http-01 proves. */
async function run(context: TestContext, dns: NameServerFixture) {
  if (typeof programs === 'string') return context.skip(programs);
  const list = createList();
  const challenges = challengesOf(dns, list);
  const listener = createServer(async (request, response) => {
    const text = await acme.challenges.find(request.url ?? '');
    response.writeHead(text === undefined ? 404 : 200).end(text);
  }).listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const httpPort = (listener.address() as AddressInfo).port;
  const pebble = await startPebble(programs, { httpPort, dnsPort: dns.port });
  const certificates = await createCertificates({ files: [], folder: path.join(folder, 'c'), clock, logger });
  const { directoryUrl, ca } = pebble;
  const acme = await createAcme({
    ...{ directoryUrl, ca, folder: path.join(folder, 'acme'), certificates, clock, logger },
    wildcard: { domain: DOMAIN, dns: challenges },
  });
  closing.push(
    () => listener.close(),
    () => pebble[Symbol.asyncDispose](),
    () => certificates.close(),
    () => acme.close(),
  );
  return { acme, certificates, list, pebble };
}

const NAMES = [DOMAIN, `api.${DOMAIN}`, `console.${DOMAIN}`, 'shop.berth.test'];

test('the domain and its wildcard share a certificate, over a real name server, and are renewed', async (context) => {
  const dns = nameServer(context);
  const { acme, certificates, list, pebble } = await run(context, dns);
  acme.setNames(NAMES);
  await waitUntil('there are certificates', () => certificates.list().length === 2, 60_000);
  // The platform's own names are below the wildcard, and get none of their own. A custom domain is proven by http-01.
  expect(certificates.list().map(({ names }) => [...names].sort())).toEqual(
    expect.arrayContaining([[`*.${DOMAIN}`, DOMAIN], ['shop.berth.test']]),
  );
  const first = certificates.find(`any-service.${DOMAIN}`);
  expect(first?.fingerprint).toBe(certificates.find(DOMAIN)?.fingerprint);
  expect(acme.status().map(({ name, state }) => [name, state])).toEqual([
    [DOMAIN, 'issued'],
    ['shop.berth.test', 'issued'],
  ]);
  expect(await dns.txt(RECORD)).toEqual([]);
  expect(list.records).toEqual([]);

  shiftMs = 61 * DAY_MS;
  acme.setNames([DOMAIN]);
  await waitUntil('it is renewed', () => certificates.find(DOMAIN)?.fingerprint !== first?.fingerprint, 60_000);
  expect(pebble.output.join('').match(/There are now \d+ orders/g)).toHaveLength(3);
  expect(await dns.txt(RECORD)).toEqual([]);
});

// Fails when the certificate that http-01 obtained for the domain counts as the one for its wildcard.
test('a domain that has a certificate without its wildcard gets another', async (context) => {
  const dns = nameServer(context);
  const { acme, certificates } = await run(context, dns);
  const { makeCertificate } = await import('../testing/make-certificate.ts');
  await certificates.add({ name: DOMAIN, ...(await makeCertificate({ names: [DOMAIN] })), source: 'before' });
  acme.setNames([DOMAIN]);
  await waitUntil('there is a wildcard', () => certificates.find(`a.${DOMAIN}`) !== undefined, 60_000);
});

// Fails when a server that is killed between two steps leaves its proof in the zone for good.
test('the records of a server that was killed are removed by the next one, and other values stay', async (context) => {
  const dns = nameServer(context);
  const list = createList();
  const withdraw = await challengesOf(dns, list).offer(
    [{ name: RECORD, value: 'left-behind' }],
    AbortSignal.timeout(20_000),
  );
  const signal = AbortSignal.timeout(20_000);
  const running = challengesOf(dns, list);
  const withdrawOther = await running.offer([{ name: RECORD, value: 'running' }], signal);
  expect(await dns.txt(RECORD)).toEqual(['left-behind', 'running']);
  await running.sweep();
  expect(await dns.txt(RECORD)).toEqual(['running']);
  await withdrawOther();
  expect(await dns.txt(RECORD)).toEqual([]);
  expect(list.records).toEqual([]);
  await withdraw();
});

test('a record that a name server never answers with fails the order, and is removed', async (context) => {
  const dns = nameServer(context);
  const other = nameServer(context) && (await startNameServer());
  if (typeof other === 'string') return context.skip(other);
  closing.push(() => other[Symbol.asyncDispose]());
  const list = createList();
  const challenges = challengesOf(dns, list, { timeoutMs: 1_000, checked: other.port });
  await expect(challenges.offer([{ name: RECORD, value: 'v' }], AbortSignal.timeout(20_000))).rejects.toThrow(
    `isn't answered after 1 s by 127.0.0.1:${other.port}`,
  );
  expect(await dns.txt(RECORD)).toEqual([]);
  expect(list.records).toEqual([]);
});

test('the wait ends when the server answers with the record, not before', async (context) => {
  const dns = nameServer(context);
  const servers = async () => [{ host: '127.0.0.1', port: dns.port }];
  const settled = createSettledCheck({ servers, timeoutMs: 20_000, clock: createSystemClock() });
  let isSettled = false;
  const record = { name: RECORD, value: 'late' };
  const waiting = settled([record], AbortSignal.timeout(20_000)).then(() => {
    isSettled = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isSettled).toBe(false);
  await providerOf(dns).add(record);
  await waiting;
});

// The attacks: another key, and a key that may change this record alone.
test('the name server refuses another key and other records, and nothing changes', async (context) => {
  const dns = nameServer(context);
  const wrong = Buffer.from('another key of thirty-two bytes!').toString('base64');
  await expect(providerOf(dns, wrong).add({ name: RECORD, value: 'v' })).rejects.toThrow(/refused the update: NOTAUTH/);
  await expect(providerOf(dns).add({ name: 'shop.berth.test', value: 'v' })).rejects.toThrow(
    'refused the update: REFUSED',
  );
  await expect(providerOf(dns).add({ name: 'a.other.test', value: 'v' })).rejects.toThrow('no zone was found');
  expect(await dns.txt(RECORD)).toEqual([]);
});

// A record that can't be removed now is removed later.
test('a removal that fails is logged and done by the next sweep', async () => {
  const list = createList();
  const removed: string[] = [];
  let isDown = true;
  const provider = {
    add: async () => {},
    async remove({ value }: DnsRecord) {
      if (isDown) throw new Error('the name server is down');
      removed.push(value);
    },
  };
  const challenges = createDnsChallenges({ provider, records: list, settled: async () => {}, logger });
  const withdraw = await challenges.offer([{ name: RECORD, value: 'v' }], AbortSignal.timeout(1_000));
  await withdraw();
  expect(logger.lines).toEqual([expect.objectContaining({ message: 'a DNS record could not be removed' })]);
  isDown = false;
  await challenges.sweep();
  expect([removed, list.records]).toEqual([['v'], []]);
});
