import { networkInterfaces } from 'node:os';
import { createError } from '@berth/contract';
import { createNetworkList } from '@berth/kit/node';
import type { Capability } from '@berth/runtime';

/** Networks of this machine itself. */
const LOOPBACK = ['127.0.0.0/8', '::1/128'];

/**
 * Checks that no service or build can pose as a trusted proxy. Without network isolation they connect from this machine's addresses, so
 * trusting one of those would let tenants forge `X-Forwarded-For`.
 *
 * @param capabilities of the runtime
 * @param ownAddresses addresses of this machine besides loopback
 * @throws BerthError `conflict` that names the network and the alternative
 */
export function refuseForgeableProxies(
  trustedProxies: readonly string[],
  capabilities: readonly Capability[],
  ownAddresses: readonly string[] = listOwnAddresses(),
): void {
  const isolation = capabilities.find(({ id }) => id === 'network-isolation');
  if (isolation?.status === 'enforced') return;
  const isLoopback = createNetworkList(LOOPBACK);
  for (const network of trustedProxies) {
    const isInNetwork = createNetworkList([network]);
    const [base = ''] = network.split('/');
    const own = isLoopback(base) ? base : ['127.0.0.1', '::1', ...ownAddresses].find(isInNetwork);
    if (own === undefined) continue;
    throw createError(
      'conflict',
      `--trusted-proxies has ${network}, which includes ${own}, an address of this machine. Services and builds share this machine's network, so ` +
        'they could forge X-Forwarded-For from there. Run the proxy on another machine, or in a container with an address of its own, and name ' +
        `that address alone; or give services networks of their own. ${isolation?.remedy ?? ''}`.trimEnd(),
    );
  }
}

function listOwnAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
}
