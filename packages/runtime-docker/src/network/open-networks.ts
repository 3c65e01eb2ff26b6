import { existsSync } from 'node:fs';
import type { Logger } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import type { AddressPool } from './address-pool.ts';
import { openFirewall } from './firewall.ts';
import { findIptables } from './iptables.ts';
import { findNameServers } from './name-servers.ts';
import { bridgePrefix, createNetworks, type Networks } from './networks.ts';

/** The private networks of a server and their firewall. */
export interface ContainerNetworks extends Networks {
  /** Why containers can reach this machine; undefined when they can't. */
  readonly firewallProblem: string | undefined;
  /** Restores firewall rules that somebody removed. */
  ensureFirewall(): Promise<void>;
  /** Removes networks without containers, and the firewall rules if no network remains. */
  close(): Promise<void>;
}

/** Options of {@link openNetworks}. */
export interface OpenNetworksOptions {
  readonly engine: Engine;
  readonly serverId: string;
  readonly pool: AddressPool;
  /** Networks that services and builds must not reach, in CIDR form, besides link-local ones. Default none. */
  readonly blockedRanges?: readonly string[];
  readonly logger: Logger;
}

/** Exists when the kernel has IPv6. Source: proc(5). */
const INET6 = '/proc/net/if_inet6';

/** Opens the networks that a server's runtime and image builder share. Close them after both. */
export async function openNetworks(options: OpenNetworksOptions): Promise<ContainerNetworks> {
  const networks = createNetworks(options);
  const prefix = bridgePrefix(options.serverId);
  const firewall = await openFirewall({
    iptables: findIptables('iptables'),
    ip6tables: existsSync(INET6) ? findIptables('ip6tables') : null,
    bridgePrefix: prefix,
    blockedRanges: options.blockedRanges ?? [],
    nameServers: findNameServers(),
    hasBridgeNames: options.engine.facts.product === 'Podman',
  });
  return {
    ...networks,
    firewallProblem: firewall.problem,
    ensureFirewall: firewall.ensure,
    async close() {
      // The rules must stay while a container may run in one of the networks.
      if ((await networks.removeUnused()) === 0) await firewall.remove();
    },
  };
}
