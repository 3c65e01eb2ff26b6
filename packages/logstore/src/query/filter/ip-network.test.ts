import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEntryTable, type EntryTable } from '../../testing/entry-table.ts';
import { isInNetwork, type NetworkTest, parseNetwork } from './ip-network.ts';
import { nanoEntry } from './language-entries.test-support.ts';
import { parseFilter } from './parse-filter.ts';

/** Addresses, and texts that are none. */
const TEXTS = [
  ...['10.0.0.9', '10.255.255.255', '11.0.0.0', '192.168.1.130', '0.0.0.0', '255.255.255.255'],
  ...['::ffff:10.0.0.9', '::FFFF:192.168.1.130', '::', '::1', '1::', '2001:db8::1', '2001:DB8:0:0:0:0:0:2'],
  ...['2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5::', '::2:3:4:5:6:7:8', '1::8', 'fe80::1:2:3:4:5:6'],
  ...['2001:db8:1:2:3:4:5', '2001:db8:1:2:3:4:5:6:7', '1:2:3::4:5:6:7:8', '2001:::1', '1::2::3', '12345::', 'g::'],
  ...['10.0.0', '10.0.0.9.1', '10.0.0.256', ' 10.0.0.9', '10.0.0.9 ', 'x::ffff:10.0.0.9', '::ffff:', '::fffe:10.0.0.9'],
  ...['fe80::1%eth0', '::10.0.0.9', '', 'ffff::10.0.0.9', '::ffff:0a00:0009', '::ffff:110.0.0.9'],
];

const NETWORKS: readonly [network: string, inside: readonly string[]][] = [
  ['10.0.0.0/8', ['10.0.0.9', '10.255.255.255', '::ffff:10.0.0.9']],
  ['10.0.0.9', ['10.0.0.9', '::ffff:10.0.0.9']],
  ['10.0.0.9/32', ['10.0.0.9', '::ffff:10.0.0.9']],
  ['::ffff:10.0.0.9', ['10.0.0.9', '::ffff:10.0.0.9']],
  ['10.0.0.0/7', ['10.0.0.9', '10.255.255.255', '11.0.0.0', '::ffff:10.0.0.9']],
  ['192.168.1.128/26', ['192.168.1.130', '::FFFF:192.168.1.130']],
  ['192.168.1.192/26', []],
  ['0.0.0.0/1', ['10.0.0.9', '10.255.255.255', '11.0.0.0', '0.0.0.0', '::ffff:10.0.0.9', '::ffff:110.0.0.9']],
  ['2001:db8::/32', ['2001:db8::1', '2001:DB8:0:0:0:0:0:2', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2:3:4:5::']],
  ['2001:DB8::1', ['2001:db8::1']],
  ['2001:db8:1:2:3:4:5:0/128', ['2001:db8:1:2:3:4:5::']],
  ['::/127', ['::', '::1']],
  ['::', ['::']],
  ['1::/16', ['1::', '1::8']],
  ['0:2::/32', ['::2:3:4:5:6:7:8']],
  ['fe80::/10', ['fe80::1:2:3:4:5:6']],
];

describe('a network', () => {
  let table: EntryTable | undefined;
  beforeAll(async () => {
    const http = { requestSize: 1, responseSize: 1, userAgent: '', protocol: 'HTTP/1.1', method: 'GET', url: '/' };
    table = await createEntryTable(
      TEXTS.map((remoteIp) => nanoEntry(0, { httpRequest: { ...http, status: 200, latencyMs: 1, remoteIp } })),
    );
  });
  afterAll(() => table?.[Symbol.asyncDispose]());

  // Fails when a prefix is off by a bit, or when the two evaluators differ on what an address is.
  test.each(NETWORKS)('%s holds its addresses and no others, in memory and in SQL', async (text, inside) => {
    const network = parseNetwork(text) as NetworkTest;
    expect(TEXTS.filter((one) => isInNetwork(one, network))).toEqual(TEXTS.filter((one) => inside.includes(one)));
    const filter = parseFilter(`ip_in_net(httpRequest.remoteIp, "${text}")`);
    expect((await table?.select(filter as NonNullable<typeof filter>))?.map((place) => TEXTS[place])).toEqual(
      TEXTS.filter((one) => inside.includes(one)),
    );
  });
});

test.each([
  ...['', '/8', '10.0.0.0/', '10.0.0.0/8/8', '10.0.0.0/33', '::/129', '10.0.0.0/-1', '10.0.0.0/8x', '10.0.0.0/x8'],
  ...['10.0.0.0/ 8', '10.0.0.0/0008', '10.0.0/8', 'x::ffff:10.0.0.0/8', '::ffff:/8', 'fe80::%1/10', '::10.0.0.0/100'],
])('%j is no network', (text) => {
  expect(parseNetwork(text)).toBeUndefined();
});
