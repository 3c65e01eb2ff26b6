import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createError } from '@berth/contract';
import { createPartitions, type Partitions, partitionOf } from '@berth/control';
import { createLeaseThread } from '@berth/database';
import { type ClusterGateway, type ClusterGatewayOptions, createClusterGateway, openPeerNetwork } from '@berth/gateway';
import type { PartOptions } from '../context/part-options.ts';
import { DRAIN_MS } from './gateway-settings.ts';
import type { State } from './open-state.ts';

/** A gateway that shares its services with those of other servers. */
export interface SharedGateway {
  readonly gateway: ClusterGateway;
  /** Joins the others: it takes its share of the services. Call it when the serving revisions are registered. */
  join(): Promise<void>;
}

/** Options of {@link openClusterGateway}. */
export interface OpenClusterGatewayOptions extends PartOptions {
  readonly state: Pick<State, 'db' | 'cluster' | 'secrets'>;
  readonly gateway: Omit<ClusterGatewayOptions, 'self' | 'network' | 'membership' | 'partitionOf' | 'agree'>;
  /** Called once, with what says whether this gateway has a deployment. */
  onOwnership(isHeld: (deployment: string) => boolean): void;
}

/** Opens the port for other gateways and the gateway itself. @throws BerthError `conflict` when the port is taken */
export async function openClusterGateway(options: OpenClusterGatewayOptions): Promise<SharedGateway> {
  const { config, clock, ids, logger, shutdown, state } = options;
  // Each start has an id of its own, so that nobody takes it for the one before.
  const id = ids.next('gateway');
  const network = await openPeerNetwork({
    ...{ id, host: '::', port: config.clusterPort, key: state.secrets.clusterKey, logger },
  }).catch((cause: unknown) => {
    throw createError('conflict', `Port ${config.clusterPort} is taken. Set BERTH_CLUSTER_PORT.`, { cause });
  });
  let partitions: Partitions | undefined;
  const leaseMs = config.gatewayLeaseSeconds * 1_000;
  const gateway = createClusterGateway({
    ...options.gateway,
    policy: { ...options.gateway.policy, takeOverWaitMs: leaseMs + TAKE_OVER_MARGIN_MS },
    ...{ self: id, network, partitionOf },
    membership: () => partitions ?? NOBODY,
    agree: async () => (await partitions?.agree()) ?? false,
  });
  const host = config.clusterAddress ?? ownAddress();
  const address = `${isIPv6(host) ? `[${host}]` : host}:${network.port}`;
  const { databaseUrl: url } = config;
  partitions = createPartitions({
    ...{ db: state.db, cluster: state.cluster, clock, logger, self: { id, address } },
    leaseMs,
    ...(url !== undefined && {
      renewBeside: ({ sql, parameters }) =>
        createLeaseThread({
          ...{ url, statement: sql, values: parameters as string[], leaseMs, patienceMs: PATIENCE_MS, logger },
        }),
    }),
    askOthers: gateway.askOthers,
    onChange: gateway.onMembers,
    onTaken: gateway.take,
    onLost: gateway.lose,
    giveUp: gateway.giveUp,
  });
  options.onOwnership(partitions.isHeld);
  const { close, start } = partitions;
  shutdown.push('gateway', async () => {
    await close();
    await gateway.close({ drainMs: DRAIN_MS });
    await network.close();
  });
  return { gateway, join: start };
}

/** Time to notice the end of a lease and to connect to the instances, on a busy machine. */
const TAKE_OVER_MARGIN_MS = 10_000;
/** A server whose event loop stands still for so long is taken for dead. */
const PATIENCE_MS = 10_000;
const NOBODY = { peers: [], ownerOf: () => undefined, isHeld: () => false };

/** Returns the first address of this machine, or Pod, that others can reach. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  const found =
    all.find(({ internal, family }) => !internal && family === 'IPv4') ?? all.find(({ internal }) => !internal);
  if (found === undefined) throw createError('unavailable', 'This machine has no address. Set BERTH_CLUSTER_ADDRESS.');
  return found.address;
}
