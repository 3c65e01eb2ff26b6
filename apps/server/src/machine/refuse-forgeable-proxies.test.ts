import type { Capability } from '@berth/runtime';
import { expect, test } from 'vitest';
import { refuseForgeableProxies } from './refuse-forgeable-proxies.ts';

const OWN = ['10.1.2.3', 'fd00::7'];

function isolation(status: Capability['status']): Capability[] {
  return [{ id: 'network-isolation', title: '', status, detail: '', remedy: 'Do this.' }];
}

const check =
  (network: string, status: Capability['status'] = 'missing') =>
  () =>
    refuseForgeableProxies(['192.0.2.0/24', network], isolation(status), OWN);

test.each([
  ...['127.0.0.1/32', '127.0.0.0/8', '127.9.9.0/24', '126.0.0.0/7', '0.0.0.0/0', '0.0.0.0/1'],
  ...['::1/128', '::/0', '::/64', '::ffff:127.0.0.1/128', '::ffff:7f00:1/128', '::ffff:127.5.0.0/112', '::ffff:0:0/96'],
  ...['10.1.2.3/32', '10.0.0.0/8', 'fd00::/8', '::ffff:10.1.0.0/112'],
])('%s is refused while services share the network of this machine', (network) => {
  expect(check(network)).toThrow(`--trusted-proxies has ${network}, which includes `);
  expect(check(network)).toThrow(/Run the proxy on another machine.* Do this\.$/);
  expect(check(network, 'partial')).toThrow('--trusted-proxies');
  expect(() => refuseForgeableProxies([network], [], OWN)).toThrow('--trusted-proxies');
  expect(check(network, 'enforced')).not.toThrow();
});

test.each(['128.0.0.0/1', '10.1.2.4/32', '10.2.0.0/16', 'fd01::/16', '::2/127', '2001:db8::/32'])(
  '%s is not of this machine',
  (network) => expect(check(network)).not.toThrow(),
);

test('the addresses of this machine are looked up', () => {
  expect(() => refuseForgeableProxies(['0.0.0.0/0'], isolation('missing'))).toThrow('--trusted-proxies');
});
