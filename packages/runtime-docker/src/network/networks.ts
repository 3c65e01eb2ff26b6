import { createHash } from 'node:crypto';
import { createError } from '@berth/contract';
import { BerthError, createSingleFlight, type Logger } from '@berth/kit';
import { engineMessage, engineStatus } from '../engine/engine-errors.ts';
import { ACCOUNT_LABEL, ofServer, SERVER_LABEL } from '../engine/labels.ts';
import type { Engine } from '../engine/open-engine.ts';
import { type AddressPool, findFreeSubnets } from './address-pool.ts';

export interface NetworksOptions {
  readonly engine: Engine;
  readonly serverId: string;
  /** Where subnets are taken from. */
  readonly pool: AddressPool;
  readonly logger: Logger;
}

/** The private networks of a server: for each account, one for what it runs and one for what it builds. */
export interface Networks {
  /** Name of the network of an account, made when missing. */
  ensure(account: string): Promise<string>;
  /**
   * Name of the network that an account's builds run in, made when missing. A build is root in its container and may send raw
   * frames, which would take over connections of other builds on the same bridge.
   */
  ensureForBuilds(account: string): Promise<string>;
  /** Removes those that nothing is in; answers how many are left. */
  removeUnused(): Promise<number>;
}

/** What the bridges of all servers begin with. */
export const BRIDGES = 'bt';

/**
 * The bridges of a server begin with this, so that one firewall rule is for all of them, those of later, too. An interface's
 * name has 15 characters at most (linux/if.h): `bt`, five of the server's, eight of the account's.
 */
export function bridgePrefix(serverId: string): string {
  return `${BRIDGES}${hash(serverId).slice(0, 5)}`;
}

/** Tries with other subnets when one overlaps what the engine doesn't show: a route of the machine. */
const SUBNET_TRIES = 64;

export function createNetworks({ engine, serverId, pool, logger }: NetworksOptions): Networks {
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

  const removeUnused = async (): Promise<number> => {
    const found = await engine.call((docker) => docker.listNetworks({ filters: ofServer(serverId) }));
    let left = 0;
    for (const { Name, Id } of found) {
      try {
        await engine.call((docker) => docker.getNetwork(Id).remove());
      } catch (error) {
        // Refused as long as something is in it; gone when somebody else was quicker.
        if (engineStatus(error) === 404) continue;
        logger.debug({ network: Name, error: engineMessage(error) }, 'a network stays');
        left += 1;
      }
    }
    return left;
  };

  const ensure = (account: string): Promise<string> => {
    const name = networkName(serverId, account);
    return flights.run(name, async () => {
      // Asked each time: whoever looks after the engine may have pruned it meanwhile.
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
    ensure,
    // No account's id has a space.
    ensureForBuilds: (account) => ensure(`builds of ${account}`),
    removeUnused,
  };
}

function networkName(serverId: string, account: string): string {
  return `berth-${hash(serverId).slice(0, 8)}-${hash(account).slice(0, 12)}`;
}

/** Source: Docker Engine API 1.41, NetworkCreate; options of the bridge driver. */
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

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
