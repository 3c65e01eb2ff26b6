import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isIP } from 'node:net';
import { createError } from '@berth/contract';
import { BerthError, createSingleFlight } from '@berth/kit';
import { readIfThere } from '@berth/runtime/files';
import { engineMessage, engineStatus } from '../engine/engine-errors.ts';
import { ACCOUNT_LABEL, ofServer, SERVER_LABEL } from '../engine/labels.ts';
import type { Engine, EngineContext } from '../engine/open-engine.ts';
import { type AddressPool, findFreeSubnets } from './address-pool.ts';
import { BRIDGES, openFirewall } from './firewall.ts';
import { findIptables } from './iptables.ts';

/** Options of {@link openNetworks}. */
export interface OpenNetworksOptions extends Omit<EngineContext, 'clock'> {
  /** The subnets for networks. */
  readonly pool: AddressPool;
  /** Networks that services and builds must not reach, in CIDR form, besides link-local ones. Default none. */
  readonly blockedRanges?: readonly string[];
}

/** The private networks of a server: one for the services and one for the builds of each account. */
export type Networks = ReturnType<typeof createNetworks>;
/** The private networks of a server and their firewall. */
export type ContainerNetworks = Awaited<ReturnType<typeof openNetworks>>;

/**
 * Returns the name prefix of a server's bridges, so that one firewall rule covers all of them, including later ones. An interface's name has
 * at most 15 characters (linux/if.h): `bt`, five for the server, eight for the account.
 */
export function bridgePrefix(serverId: string): string {
  return `${BRIDGES}${hash(serverId).slice(0, 5)}`;
}

/** Number of subnets to try when one overlaps with something that the engine doesn't list, such as a route of the machine. */
const SUBNET_TRIES = 64;

/** Creates the networks of a server, without a firewall. */
export function createNetworks({ engine, serverId, pool, logger }: Omit<OpenNetworksOptions, 'blockedRanges'>) {
  const flights = createSingleFlight<string>();

  const create = async (name: string, account: string): Promise<void> => {
    const taken = await engine.call(listSubnets);
    const subnets = findFreeSubnets(pool, taken).slice(0, SUBNET_TRIES);
    for (const subnet of subnets) {
      try {
        await engine.call((docker) => docker.createNetwork(networkOptions(serverId, name, account, subnet)));
        return;
      } catch (error) {
        if (engineStatus(error) === 409) return;
        if (!isOverlap(error)) throw error;
        logger.debug({ subnet, error: engineMessage(error) }, 'a subnet is in use by something else');
      }
    }
    throw createError(
      'out_of_capacity',
      'No subnet is left for the network of this account: give the server more addresses with --docker-subnets.',
    );
  };

  /** Removes networks without containers. Returns the number of remaining ones. */
  const removeUnused = async (): Promise<number> => {
    const found = await engine.call((docker) => docker.listNetworks({ filters: ofServer(serverId) }));
    let left = 0;
    for (const { Name, Id } of found) {
      try {
        await engine.call((docker) => docker.getNetwork(Id).remove());
      } catch (error) {
        // 404: someone else removed the network. Other errors: it still has containers.
        if (engineStatus(error) === 404) continue;
        logger.debug({ network: Name, error: engineMessage(error) }, 'a network could not be removed');
        left += 1;
      }
    }
    return left;
  };

  const ensure = (account: string): Promise<string> => {
    const name = networkName(serverId, account);
    return flights.run(name, async () => {
      // Checked every time, because an operator may have pruned the network.
      const found = await engine.call((docker) => docker.listNetworks({ filters: { name: [name] } }));
      if (!found.some(({ Name }) => Name === name)) {
        await create(name, account).catch(async (error: unknown) => {
          if (!BerthError.is(error) || error.code !== 'out_of_capacity') throw error;
          await removeUnused();
          await create(name, account);
        });
      }
      return name;
    });
  };

  return {
    /** Returns the name of an account's service network, created when missing. */
    ensure,
    /**
     * Returns the name of an account's build network, created when missing. Accounts don't share one, because a build is root in
     * its container and may send raw frames, which can take over connections of other builds on the same bridge.
     */
    // Account ids contain no spaces, so this name is unique.
    ensureForBuilds: (account: string) => ensure(`builds of ${account}`),
    removeUnused,
  };
}

/** Exists when the kernel has IPv6. Source: proc(5). */
const INET6 = '/proc/net/if_inet6';

/** Opens the networks that a server's runtime and image builder share. Close them after both. */
export async function openNetworks(options: OpenNetworksOptions) {
  const { engine, serverId, blockedRanges = [] } = options;
  const networks = createNetworks(options);
  const firewall = await openFirewall({
    iptables: findIptables('iptables'),
    ip6tables: existsSync(INET6) ? findIptables('ip6tables') : null,
    bridgePrefix: bridgePrefix(serverId),
    blockedRanges,
    nameServers: findNameServers(),
    hasBridgeNames: engine.facts.product === 'Podman',
  });
  return {
    ...networks,
    /** Why containers can reach this machine; undefined when they can't. */
    firewallProblem: firewall.problem,
    /** Restores removed firewall rules. */
    ensureFirewall: firewall.ensure,
    /** Removes networks without containers, and the firewall rules if no network remains. */
    async close(): Promise<void> {
      // The rules must stay while a container may run in one of the networks.
      if ((await networks.removeUnused()) === 0) await firewall.remove();
    },
  };
}

function networkName(serverId: string, account: string): string {
  return `berth-${hash(serverId).slice(0, 8)}-${hash(account).slice(0, 12)}`;
}

/** Returns the request that creates a network. Source: Docker Engine API 1.41, NetworkCreate; options of the bridge driver. */
function networkOptions(serverId: string, name: string, account: string, subnet: string) {
  return {
    Name: name,
    Driver: 'bridge',
    CheckDuplicate: true,
    EnableIPv6: false,
    IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] },
    Labels: { [SERVER_LABEL]: serverId, [ACCOUNT_LABEL]: account },
    Options: {
      'com.docker.network.bridge.name': `${bridgePrefix(serverId)}${hash(account).slice(0, 8)}`,
      // Only the gateway connects to instances.
      'com.docker.network.bridge.enable_icc': 'false',
    },
  };
}

async function listSubnets(docker: Engine['docker']): Promise<Set<string>> {
  const networks = await docker.listNetworks();
  return new Set(networks.flatMap(({ IPAM }) => IPAM?.Config?.flatMap(({ Subnet }) => Subnet ?? []) ?? []));
}

/** Source: moby libnetwork/ipam, "Pool overlaps with other one on this address space"; Podman, "subnet … is already used". */
function isOverlap(error: unknown): boolean {
  return /overlap|already used/i.test(engineMessage(error));
}

/** The second file lists the servers behind systemd's resolver. Engines read it when the first lists only that resolver. */
const RESOLVER_FILES = ['/etc/resolv.conf', '/run/systemd/resolve/resolv.conf'];

/** Returns the addresses of the machine's name servers. Source: resolv.conf(5). */
function findNameServers(): string[] {
  const texts = RESOLVER_FILES.map(readIfThere);
  const named = texts.flatMap((text) =>
    [...text.matchAll(/^\s*nameserver\s+(\S+)/gm)].map(([, address = '']) => address),
  );
  return [...new Set(named)].filter((address) => isIP(address) !== 0);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
