import type { PlatformParts } from '../compose/open-table.ts';
import type { Gateway } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { PartitionEpoch } from '../workers/worker-messages.ts';
import type { Peer, PeerNetwork } from './peer-link.ts';

/** The gateways, and which of them counts the requests of which services. */
export interface ClusterMembership {
  /** The gateways that are alive, this one included. */
  readonly peers: readonly Peer[];
  /** Returns who counts the requests of a deployment; undefined while no live gateway does. */
  ownerOf(deployment: string): Peer | undefined;
  /** Whether this gateway does, by its own clock. */
  isHeld(deployment: string): boolean;
}

/** Options of {@link createClusterGateway}. */
export interface ClusterGatewayOptions extends PlatformParts {
  readonly policy?: Partial<GatewayPolicy>;
  /** As for `createGateway`. */
  readonly trustedProxies?: readonly string[];
  readonly random?: (bytes: Buffer) => void;
  /** The id of this gateway. */
  readonly self: string;
  readonly network: PeerNetwork;
  /** Not called before {@link ClusterGateway.onMembers}. */
  readonly membership: () => ClusterMembership;
  partitionOf(deployment: string): number;
  /** Whether another gateway, which asks, may keep its services although it can't reach the database; never by default. */
  agree?(): Promise<boolean>;
}

/** One of several gateways that share services. */
export interface ClusterGateway extends Gateway {
  /** The live gateways or the owners of partitions have changed. */
  onMembers(): void;
  /** This gateway counts the requests of the services in these partitions from now on. */
  take(partitions: readonly PartitionEpoch[]): void;
  /** Another gateway may count them already. Their instances are left to it. */
  lose(partitions: readonly number[]): void;
  /** Ends the counting in these partitions; resolves when another gateway may begin it. */
  giveUp(partitions: readonly number[]): Promise<void>;
  /** Asks all other live gateways to agree, and resolves with false when one doesn't within `withinMs`. */
  askOthers(withinMs: number): Promise<boolean>;
}
