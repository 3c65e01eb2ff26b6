import type { Logger } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';
import type { AddressPool } from './address-pool.ts';
import { openFirewall } from './firewall.ts';
import { findIptables } from './iptables.ts';
import { bridgePrefix, createNetworks, type Networks } from './networks.ts';

/** The private networks of a server, and what keeps them away from this machine. */
export interface ContainerNetworks extends Networks {
  /** Why containers can get at this machine; undefined when they can't. */
  readonly firewallProblem: string | undefined;
  /** Puts back rules that somebody flushed. */
  ensureFirewall(): Promise<void>;
  /** Removes the networks that nothing is in and, when none is left, the rules. */
  close(): Promise<void>;
}

export interface OpenNetworksOptions {
  readonly engine: Engine;
  readonly serverId: string;
  readonly pool: AddressPool;
  readonly logger: Logger;
}

/** For the runtime and for image builds of one server, which close it after both. */
export async function openNetworks(options: OpenNetworksOptions): Promise<ContainerNetworks> {
  const networks = createNetworks(options);
  const prefix = bridgePrefix(options.serverId);
  const firewall = await openFirewall({ iptables: findIptables(), bridgePrefix: prefix });
  return {
    ...networks,
    firewallProblem: firewall.problem,
    ensureFirewall: firewall.ensure,
    async close() {
      // As long as something may run in one of them, the rules hold it.
      if ((await networks.removeUnused()) === 0) await firewall.remove();
    },
  };
}
