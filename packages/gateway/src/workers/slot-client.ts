import type { Clock, Timer } from '@berth/kit';
import { closingRefusal, deletedRefusal } from '../admission/refusal.ts';
import type { Route, Ticket } from '../admission/ticket.ts';
import { deploymentOf, routeOf } from '../port/gateway.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import type { RouteTable } from '../proxy/create-request-handlers.ts';
import type { CreateUpstream } from '../upstream/create-upstream.ts';
import { LeasedInstance } from './leased-instance.ts';
import { LeasedPool, type SlotSource } from './leased-pool.ts';
import type { MessagePort } from './message-port.ts';
import { type Defer, Outbox } from './outbox.ts';
import { ParkTimer } from './park-timer.ts';
import { WaitingTickets } from './waiting-tickets.ts';
import type { CoreMessage, FromWorker, HeldSlots, PartitionEpoch, ToWorker, WorkerMessage } from './worker-messages.ts';

/** Options of {@link SlotClient}. */
export interface SlotClientOptions {
  readonly clock: Clock;
  readonly port: MessagePort<ToWorker, FromWorker>;
  /** Returns the function that creates connections to instances. Called again when the core has sent the policy. */
  readonly createUpstreams: (policy: GatewayPolicy) => CreateUpstream;
  readonly defer?: Defer | undefined;
  /** State that this client shares with those of other cores; absent when there is one core. */
  readonly shared?: SharedSlots;
  /** The policy; by default the core sends it. */
  readonly policy?: GatewayPolicy;
}

/** The shared state of the clients of several cores in one process. */
export interface SharedSlots extends Pick<RouteTable, 'find'> {
  /** Instances by id, whichever core counts their slots. */
  readonly instances: Map<string, LeasedInstance<LeasedPool>>;
  /** Takes a request whose core gave its service away, or is gone, and which isn't served yet. */
  strand(ticket: Ticket, deployment: string): void;
  /** Called when a core has the route of a deployment, after the client has it. */
  onRoute(deployment: string): void;
  /** Called when a deployment was deleted. */
  onDeleted(deployment: string): void;
  /** Notes the partitions of a core. Returns whether a deployment is in one of them, and the epoch of the core is the highest known. */
  claim(client: SlotClient, partitions: readonly PartitionEpoch[]): (deployment: string) => boolean;
}

interface WorkerRoute extends Route {
  current: LeasedPool | null;
}

/** The worker's counterpart of the core's `WorkerSession`: routes, their pools, and the requests that wait for a slot. */
export class SlotClient implements SlotSource {
  readonly clock: Clock;
  policy: GatewayPolicy;
  secret: string | Uint8Array = '';
  readonly #port: MessagePort<ToWorker, FromWorker>;
  readonly #outbox: Outbox<WorkerMessage>;
  readonly #createUpstreams: (policy: GatewayPolicy) => CreateUpstream;
  #createUpstream: CreateUpstream;
  readonly #routes = new Map<string, WorkerRoute>();
  readonly #pools = new Map<number, LeasedPool>();
  readonly #instances = new Map<number, LeasedInstance<LeasedPool>>();
  readonly #shared: SharedSlots | undefined;
  readonly #waiting = new WaitingTickets();
  readonly #parkTimer: ParkTimer;
  readonly #ready = Promise.withResolvers<void>();
  #pruneTimer: Timer | null = null;
  /** The platform is shutting down, or the core is gone. */
  #isClosing = false;
  /** The core is gone; others may go on with its services. */
  #isGone = false;
  #onIdle: (() => void) | null = null;

  constructor({ clock, port, createUpstreams, defer, shared, policy = DEFAULT_POLICY }: SlotClientOptions) {
    this.clock = clock;
    this.policy = policy;
    this.#shared = shared;
    this.#port = port;
    this.#parkTimer = new ParkTimer(clock, () => this.policy.slotParkMs);
    this.#outbox = new Outbox((batch) => port.post(batch), defer);
    this.#createUpstreams = createUpstreams;
    this.#createUpstream = createUpstreams(this.policy);
    this.#ready.promise.catch(() => {});
    port.onMessage((batch) => {
      for (const message of batch) this.#handle(message);
    });
    port.onClose(() => this.#onPortClosed());
    this.#outbox.push({ kind: 'hello' });
  }

  /** Resolves when all routes are known. @throws Error when the port closes first. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** Number of requests that wait for a slot. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Number of requests that have a slot or wait for one. */
  get busy(): number {
    let busy = this.#waiting.size;
    for (const { inUse } of this.#instances.values()) busy += inUse;
    return busy;
  }

  /** Returns the route of a deployment; undefined when there is none or the worker is closing. */
  find(deployment: string): Route | undefined {
    return this.#isClosing || this.#isGone ? undefined : this.#routes.get(deployment);
  }

  /** Sends a message to the core with the next batch. */
  send(message: WorkerMessage): void {
    this.#outbox.push(message);
  }

  ask(ticket: Ticket, deployment: string, isFirst: boolean): void {
    const route = this.#routes.get(deployment);
    if (this.#isGone) this.#shared?.strand(ticket, deployment);
    else if (!route) ticket.refuse(this.#isClosing ? closingRefusal() : deletedRefusal(deploymentOf(deployment)));
    if (this.#isGone || !route) return;
    const nowMs = this.clock.monotonicMs();
    this.#outbox.push({
      kind: 'ask',
      ticket: this.#waiting.add(ticket, route),
      deployment,
      ageMs: nowMs - ticket.arrivedAtMs,
      leftMs: ticket.timeoutAtMs - nowMs,
      queuedBytes: ticket.queuedBytes,
      ...(ticket.affinityKey === undefined ? {} : { affinityKey: ticket.affinityKey }),
      ...(isFirst ? { isFirst } : {}),
    });
  }

  withdraw(ticket: Ticket): void {
    const number = this.#waiting.numberOf(ticket);
    if (number === undefined) return;
    this.#waiting.take(number);
    this.#outbox.push({ kind: 'withdraw', ticket: number });
    this.#checkIdle();
  }

  give(instance: LeasedInstance<LeasedPool>, count: number, usedUntilMs: number): void {
    // Another core may count the slots of the instance by now, or none.
    if (instance.pool.source !== this) instance.pool.source.give(instance, count, usedUntilMs);
    else if (this.#instances.get(instance.number) === instance) {
      const freeMs = this.clock.monotonicMs() - usedUntilMs;
      this.#outbox.push({ kind: 'give', instance: instance.number, count, freeMs });
      this.#checkIdle();
    } else this.#forgetUnused(instance);
  }

  connectFailed(instance: LeasedInstance<LeasedPool>): void {
    if (instance.pool.source !== this) instance.pool.source.connectFailed(instance);
    else if (this.#instances.get(instance.number) === instance) {
      this.#outbox.push({ kind: 'connectFailed', instance: instance.number });
    }
  }

  onParked(pool: LeasedPool): void {
    this.#parkTimer.watch(pool);
  }

  /**
   * Refuses new requests, sends WebSockets a close frame, and lets running requests finish for `drainMs`. Then breaks off the rest,
   * returns all slots and closes the port.
   *
   * @param beforeEnd sends the last messages, right before the port closes.
   */
  async close(drainMs: number, beforeEnd: () => void): Promise<void> {
    this.#isClosing = true;
    for (const instance of this.#instances.values()) for (const tunnel of [...instance.tunnels]) tunnel.close();
    if (this.busy > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#onIdle = resolve;
      const timer = this.clock.setTimer(drainMs, resolve);
      await promise;
      timer.cancel();
    }
    this.#waiting.refuse(closingRefusal());
    for (const instance of this.#instances.values()) instance.breakOff();
    beforeEnd();
    this.#outbox.flush();
    this.#port.close();
  }

  #handle(message: CoreMessage) {
    switch (message.kind) {
      case 'setup':
        this.policy = message.policy;
        this.secret = message.secret;
        this.#createUpstream = this.#createUpstreams(message.policy);
        return;
      case 'route':
        return this.#setRoute(message);
      case 'unroute':
        return this.#removeRoute(message);
      case 'ping':
        return this.#outbox.push({ kind: 'ack', version: message.version });
      case 'ready':
        return this.#ready.resolve();
      case 'instance':
        return this.#addInstance(message);
      case 'grant':
        return this.#grant(message);
      case 'refuse':
        this.#waiting.take(message.ticket)?.refuse(message.refusal);
        this.#checkIdle();
        return;
      case 'claim':
        return this.#claim(message);
      case 'recall':
        return this.#pools.get(message.pool)?.recall();
      case 'resume':
        return this.#pools.get(message.pool)?.resume();
      case 'forget':
        return this.#forget(message.instance);
      default:
        this.#toInstance(message.kind, this.#instances.get(message.instance));
    }
  }

  #setRoute({ version, pool: number, target }: Extract<CoreMessage, { kind: 'route' }>): void {
    const pool = new LeasedPool(this, number, target);
    this.#pools.set(number, pool);
    const deployment = routeOf(target);
    const route = this.#routes.get(deployment);
    if (route === undefined) {
      this.#routes.set(deployment, { deployment, current: pool });
    } else {
      const before = route.current;
      route.current = pool;
      this.#dropPool(before);
    }
    this.#outbox.push({ kind: 'ack', version });
    this.#shared?.onRoute(deployment);
  }

  #removeRoute({ version, deployment, isClosing, isMoved }: Extract<CoreMessage, { kind: 'unroute' }>): void {
    if (isMoved === true && this.#shared !== undefined) {
      this.leave((one) => one === deployment);
      this.#outbox.push({ kind: 'ack', version });
      return;
    }
    this.#shared?.onDeleted(deployment);
    const route = this.#routes.get(deployment);
    this.#isClosing ||= isClosing;
    if (route !== undefined) {
      this.#dropPool(route.current);
      route.current = null;
      this.#routes.delete(deployment);
      const name = deploymentOf(deployment);
      const main = name === deployment ? undefined : (this.#shared ?? this).find(name);
      // The core moves or refuses them, too. Until then, a client that disconnects would find no route to withdraw from.
      if (main) this.#waiting.reroute(route, main);
      else this.#waiting.refuse(isClosing ? closingRefusal() : deletedRefusal(name), route);
    }
    this.#outbox.push({ kind: 'ack', version });
  }

  #dropPool(pool: LeasedPool | null): void {
    if (pool === null) return;
    pool.retire();
    this.#pools.delete(pool.number);
  }

  #addInstance(message: InstanceMessage): void {
    const { pool: poolNumber, instance: number, id, affinityKey, host, port, useHttp2, held = 0 } = message;
    const pool = this.#pools.get(poolNumber);
    if (pool === undefined) {
      // Another core has claimed the service since the message was sent.
      if (this.#shared !== undefined) return;
      // Only a pool with the route grants slots, and the core sends the route first.
      throw new Error('instance of a revision without a route');
    }
    let instance = this.#shared?.instances.get(id);
    if (instance) instance.rebind(number, pool);
    else {
      const upstream = this.#createUpstream({ host, port, useHttp2 });
      instance = new LeasedInstance({ number, id, affinityKey }, pool, upstream);
      this.#shared?.instances.set(id, instance);
    }
    this.#instances.set(number, instance);
    // Requests that ended since the worker declared them.
    if (held > instance.inUse) this.give(instance, held - instance.inUse, this.clock.monotonicMs());
    this.#watchIdleConnections();
  }

  /** Answers a core that counts the services of some partitions from now on. */
  #claim({ version, partitions }: Extract<CoreMessage, { kind: 'claim' }>): void {
    const isClaimed = this.#shared?.claim(this, partitions) ?? (() => false);
    const slots: HeldSlots[] = [];
    for (const { id, inUse, pool } of this.#shared?.instances.values() ?? []) {
      const deployment = routeOf(pool.target);
      if (inUse > 0 && isClaimed(deployment)) slots.push({ deployment, instance: id, count: inUse });
    }
    this.#outbox.push({ kind: 'holding', version, slots });
  }

  /** Gives up the routes of services that another core counts: requests that wait go on there, and parked slots are forgotten. */
  leave(isLeft: (deployment: string) => boolean): void {
    for (const [deployment, route] of [...this.#routes]) {
      if (!isLeft(deployment)) continue;
      const before = route.current;
      route.current = null;
      this.#routes.delete(deployment);
      if (before) {
        before.drop();
        this.#pools.delete(before.number);
      }
      for (const ticket of this.#waiting.takeAll(route)) this.#shared?.strand(ticket, deployment);
    }
    for (const [number, instance] of [...this.#instances]) {
      if (!isLeft(routeOf(instance.pool.target))) continue;
      this.#instances.delete(number);
      this.#forgetUnused(instance);
    }
  }

  #forget(number: number): void {
    const instance = this.#instances.get(number);
    this.#instances.delete(number);
    if (instance === undefined || instance.pool.source !== this) return;
    this.#shared?.instances.delete(instance.id);
    instance.breakOff();
  }

  /** Closes the connections to an instance that no core counts and no request uses. */
  #forgetUnused(instance: LeasedInstance<LeasedPool>): void {
    if (instance.inUse > 0 || this.#shared?.instances.get(instance.id) !== instance) return;
    this.#shared.instances.delete(instance.id);
    instance.breakOff();
  }

  #grant({ ticket: number, instance: instanceNumber, waited }: Extract<CoreMessage, { kind: 'grant' }>): void {
    const instance = this.#instances.get(instanceNumber);
    if (instance === undefined) {
      if (this.#shared !== undefined) return;
      throw new Error('slot of an unknown instance');
    }
    const ticket = this.#waiting.take(number);
    const nowMs = this.clock.monotonicMs();
    if (ticket === undefined) {
      this.give(instance, 1, nowMs);
      return;
    }
    if (waited !== undefined) {
      instance.setTimes(waited, nowMs);
      ticket.queuedAtMs = Math.max(ticket.arrivedAtMs, nowMs - waited.queuedMs);
    }
    instance.pool.grant(ticket, instance);
  }

  #toInstance(
    kind: 'out' | 'closeTunnels' | 'prune' | 'breakOff',
    instance: LeasedInstance<LeasedPool> | undefined,
  ): void {
    if (instance === undefined) return;
    if (kind === 'out') instance.pool.putOut(instance);
    else if (kind === 'closeTunnels') for (const tunnel of [...instance.tunnels]) tunnel.close();
    else if (kind === 'prune') instance.upstream.prune(true);
    else {
      instance.pool.putOut(instance);
      instance.breakOff();
    }
  }

  #watchIdleConnections(): void {
    this.#pruneTimer ??= this.clock.setTimer(this.policy.tickMs, () => {
      this.#pruneTimer = null;
      for (const { upstream } of this.#instances.values()) upstream.prune();
      if (this.#instances.size > 0) this.#watchIdleConnections();
    });
  }

  #checkIdle(): void {
    if (this.#onIdle !== null && this.busy === 0) this.#onIdle();
  }

  #onPortClosed(): void {
    this.#parkTimer.cancel();
    this.#pruneTimer?.cancel();
    this.#ready.reject(new Error('the gateway has ended'));
    if (this.#shared !== undefined && !this.#isClosing) {
      this.#isGone = true;
      this.leave(() => true);
      return;
    }
    this.#isClosing = true;
    this.#routes.clear();
    this.#waiting.refuse(closingRefusal());
    this.#onIdle?.();
  }
}

type InstanceMessage = Extract<CoreMessage, { kind: 'instance' }>;
