import type { Clock } from '@berth/kit';
import { closingRefusal, deletedRefusal } from '../admission/refusal.ts';
import type { Route, SlotPool, Ticket } from '../admission/ticket.ts';
import { deploymentOf, routeOf, type ServedTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { RouteTable } from '../proxy/create-request-handlers.ts';
import type { LeasedInstance } from '../workers/leased-instance.ts';
import type { LeasedPool } from '../workers/leased-pool.ts';
import type { SharedSlots, SlotClient } from '../workers/slot-client.ts';
import type { PartitionEpoch } from '../workers/worker-messages.ts';
import { WaitingRoom } from './waiting-room.ts';

/** Options of {@link ClusterRoutes}. */
export interface ClusterRoutesOptions {
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  /** Returns the partition of a deployment. */
  partitionOf(deployment: string): number;
}

/** Interval at which a closing gateway looks whether its requests have ended. */
const CLOSE_POLL_MS = 50;

/** The gateway that counts a partition, as this one knows it. */
interface Owner {
  readonly client: SlotClient;
  readonly epoch: number;
}

/**
 * The routes of a gateway's requests when the services are spread over several cores, each of which counts the requests of some partitions.
 *
 * C1: the requests of a service go to the core with the highest epoch that claimed its partition, and to no other.
 * C2: a request that waits when its core goes, or gives the service away, waits on for the next one; none is refused for it before its deadline.
 * C3: a request in flight goes on, whatever becomes of the core that granted its slot.
 */
export class ClusterRoutes implements RouteTable, SharedSlots {
  readonly instances = new Map<string, LeasedInstance<LeasedPool>>();
  readonly #options: ClusterRoutesOptions;
  readonly #owners = new Map<number, Owner>();
  readonly #clients = new Set<SlotClient>();
  readonly #services = new Map<string, ClusterRoute>();
  #isClosing = false;

  constructor(options: ClusterRoutesOptions) {
    this.#options = options;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Number of requests that wait for a core. */
  get stranded(): number {
    let size = 0;
    for (const { room } of this.#services.values()) size += room.size;
    return size;
  }

  /** Adds the client of a core. */
  add(client: SlotClient): void {
    this.#clients.add(client);
  }

  /** Removes the client of a core that is gone. */
  remove(client: SlotClient): void {
    this.#clients.delete(client);
  }

  find(deployment: string): Route | undefined {
    return this.#isClosing ? undefined : this.#services.get(deployment);
  }

  /** Makes a service known, whose requests then wait for a core when none has it. Called when it is deployed, here or elsewhere. */
  know(target: ServedTarget): void {
    const name = routeOf(target);
    const known = this.#services.get(name);
    if (known) known.target = target;
    else this.#services.set(name, new ClusterRoute(this.#options, target, () => this.#poolOf(name)));
  }

  /** Forgets a route that was removed. */
  onDeleted(deployment: string): void {
    const route = this.#services.get(deployment);
    this.#services.delete(deployment);
    const name = deploymentOf(deployment);
    const main = name === deployment ? undefined : this.#services.get(name);
    if (main) route?.room.moveTo(main.current, main);
    else route?.room.refuse(this.#isClosing ? closingRefusal() : deletedRefusal(name));
  }

  /** Number of requests that have a slot or wait for one. */
  get busy(): number {
    let busy = this.stranded;
    for (const client of this.#clients) busy += client.waiting;
    for (const { inUse } of this.instances.values()) busy += inUse;
    return busy;
  }

  /**
   * Refuses new requests and those that wait for a core, and sends WebSockets a close frame. Resolves when the others have ended, after
   * `drainMs` at the latest: then their connections are broken off.
   */
  async close(drainMs: number): Promise<void> {
    const { clock } = this.#options;
    this.#isClosing = true;
    for (const { room } of this.#services.values()) room.refuse(closingRefusal());
    for (const { tunnels } of this.instances.values()) for (const tunnel of [...tunnels]) tunnel.close();
    const dueMs = clock.monotonicMs() + drainMs;
    while (this.busy > 0 && clock.monotonicMs() < dueMs) await clock.sleep(Math.min(CLOSE_POLL_MS, drainMs));
    for (const instance of this.instances.values()) instance.breakOff();
  }

  strand(ticket: Ticket, deployment: string): void {
    const route = this.#services.get(deployment);
    if (route === undefined) ticket.refuse(deletedRefusal(deploymentOf(deployment)));
    else route.current.admit(ticket);
  }

  onRoute(deployment: string): void {
    const pool = this.#poolOf(deployment);
    if (pool === undefined) return;
    this.know(pool.target);
    this.#services.get(deployment)?.room.moveTo(pool);
  }

  claim(client: SlotClient, partitions: readonly PartitionEpoch[]): (deployment: string) => boolean {
    const claimed = new Set<number>();
    for (const { number, epoch } of partitions) {
      if (epoch < (this.#owners.get(number)?.epoch ?? 0)) continue;
      this.#owners.set(number, { client, epoch });
      claimed.add(number);
    }
    const isClaimed = (deployment: string) => claimed.has(this.#options.partitionOf(deployment));
    // A core that was paused, or can't be reached, has not given them away itself.
    for (const other of this.#clients) if (other !== client) other.leave(isClaimed);
    for (const [deployment, { room }] of this.#services) {
      const pool = isClaimed(deployment) ? this.#poolOf(deployment) : undefined;
      if (pool) room.moveTo(pool);
    }
    return isClaimed;
  }

  #poolOf(deployment: string): SlotPool | undefined {
    const owner = this.#owners.get(this.#options.partitionOf(deployment));
    return owner?.client.find(deployment)?.current ?? undefined;
  }
}

class ClusterRoute implements Route {
  target: ServedTarget;
  readonly #options: ClusterRoutesOptions;
  readonly #poolOf: () => SlotPool | undefined;
  #room: WaitingRoom;

  constructor(options: ClusterRoutesOptions, target: ServedTarget, poolOf: () => SlotPool | undefined) {
    this.target = target;
    this.#options = options;
    this.#poolOf = poolOf;
    this.#room = new WaitingRoom(options.clock, options.policy, target);
  }

  get deployment(): string {
    return routeOf(this.target);
  }

  get room(): WaitingRoom {
    // Of the newest revision, whose timeout and concurrency may be others. One in which requests wait stays until they have left.
    if (this.#room.target !== this.target && this.#room.size === 0) {
      this.#room = new WaitingRoom(this.#options.clock, this.#options.policy, this.target);
    }
    return this.#room;
  }

  get current(): SlotPool {
    return this.#poolOf() ?? this.room;
  }
}
