import type { Clock, Timer } from '@berth/kit';
import { closingRefusal, deletedRefusal } from '../admission/refusal.ts';
import type { Route, Ticket } from '../admission/ticket.ts';
import { DEFAULT_POLICY, type GatewayPolicy } from '../port/gateway-policy.ts';
import type { CreateUpstream } from '../upstream/create-upstream.ts';
import { LeasedInstance } from './leased-instance.ts';
import { LeasedPool, type SlotSource } from './leased-pool.ts';
import type { MessagePort } from './message-port.ts';
import { type Defer, Outbox } from './outbox.ts';
import { ParkTimer } from './park-timer.ts';
import { WaitingTickets } from './waiting-tickets.ts';
import type { CoreMessage, FromWorker, ToWorker, WorkerMessage } from './worker-messages.ts';

/** Options of {@link SlotClient}. */
export interface SlotClientOptions {
  readonly clock: Clock;
  readonly port: MessagePort<ToWorker, FromWorker>;
  /** Returns the function that creates connections to instances. Called again when the core has sent the policy. */
  readonly createUpstreams: (policy: GatewayPolicy) => CreateUpstream;
  readonly defer?: Defer | undefined;
}

interface WorkerRoute extends Route {
  readonly deployment: string;
  current: LeasedPool | null;
}

/** The worker's counterpart of the core's `WorkerSession`: routes, their pools, and the requests that wait for a slot. */
export class SlotClient implements SlotSource {
  readonly clock: Clock;
  policy: GatewayPolicy = DEFAULT_POLICY;
  secret: string | Uint8Array = '';
  readonly #port: MessagePort<ToWorker, FromWorker>;
  readonly #outbox: Outbox<WorkerMessage>;
  readonly #createUpstreams: (policy: GatewayPolicy) => CreateUpstream;
  #createUpstream: CreateUpstream;
  readonly #routes = new Map<string, WorkerRoute>();
  readonly #pools = new Map<number, LeasedPool>();
  readonly #instances = new Map<number, LeasedInstance<LeasedPool>>();
  readonly #waiting = new WaitingTickets();
  readonly #parkTimer: ParkTimer;
  readonly #ready = Promise.withResolvers<void>();
  #pruneTimer: Timer | null = null;
  /** The platform is shutting down, or the core is gone. */
  #isClosing = false;
  #onIdle: (() => void) | null = null;

  constructor({ clock, port, createUpstreams, defer }: SlotClientOptions) {
    this.clock = clock;
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

  /** Number of requests that have a slot or wait for one. */
  get busy(): number {
    let busy = this.#waiting.size;
    for (const { inUse } of this.#instances.values()) busy += inUse;
    return busy;
  }

  /** Returns the route of a deployment; undefined when there is none or the worker is closing. */
  find(deployment: string): Route | undefined {
    return this.#isClosing ? undefined : this.#routes.get(deployment);
  }

  /** Sends a message to the core with the next batch. */
  send(message: WorkerMessage): void {
    this.#outbox.push(message);
  }

  ask(ticket: Ticket, deployment: string, isFirst: boolean): void {
    const route = this.#routes.get(deployment);
    if (route === undefined) {
      ticket.refuse(this.#isClosing ? closingRefusal() : deletedRefusal(deployment));
      return;
    }
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

  give({ number }: LeasedInstance, count: number, usedUntilMs: number): void {
    const freeMs = this.clock.monotonicMs() - usedUntilMs;
    this.#outbox.push({ kind: 'give', instance: number, count, freeMs });
    this.#checkIdle();
  }

  connectFailed({ number }: LeasedInstance): void {
    this.#outbox.push({ kind: 'connectFailed', instance: number });
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
      case 'recall':
        return this.#pools.get(message.pool)?.recall();
      case 'resume':
        return this.#pools.get(message.pool)?.resume();
      case 'forget':
        this.#instances.get(message.instance)?.breakOff();
        this.#instances.delete(message.instance);
        return;
      default:
        this.#toInstance(message.kind, this.#instances.get(message.instance));
    }
  }

  #setRoute({ version, pool: number, target }: Extract<CoreMessage, { kind: 'route' }>): void {
    const pool = new LeasedPool(this, number, target);
    this.#pools.set(number, pool);
    const route = this.#routes.get(target.deployment);
    if (route === undefined) {
      this.#routes.set(target.deployment, { deployment: target.deployment, current: pool });
    } else {
      const before = route.current;
      route.current = pool;
      this.#dropPool(before);
    }
    this.#outbox.push({ kind: 'ack', version });
  }

  #removeRoute({ version, deployment, isClosing }: Extract<CoreMessage, { kind: 'unroute' }>): void {
    const route = this.#routes.get(deployment);
    this.#isClosing ||= isClosing;
    if (route !== undefined) {
      const before = route.current;
      route.current = null;
      this.#routes.delete(deployment);
      this.#dropPool(before);
      // The core refuses them too, but a client that disconnects before that would find no route to withdraw from.
      this.#waiting.refuse(isClosing ? closingRefusal() : deletedRefusal(deployment), route);
    }
    this.#outbox.push({ kind: 'ack', version });
  }

  #dropPool(pool: LeasedPool | null): void {
    if (pool === null) return;
    pool.retire();
    this.#pools.delete(pool.number);
  }

  #addInstance({ pool: poolNumber, instance: number, id, affinityKey, host, port, useHttp2 }: InstanceMessage): void {
    const pool = this.#pools.get(poolNumber);
    // Only a pool with the route grants slots, and the core sends the route first.
    if (pool === undefined) throw new Error('instance of a revision without a route');
    const upstream = this.#createUpstream({ host, port, useHttp2 });
    this.#instances.set(number, new LeasedInstance({ number, id, affinityKey }, pool, upstream));
    this.#watchIdleConnections();
  }

  #grant({ ticket: number, instance: instanceNumber, waited }: Extract<CoreMessage, { kind: 'grant' }>): void {
    const instance = this.#instances.get(instanceNumber);
    if (instance === undefined) throw new Error('slot of an unknown instance');
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
    this.#isClosing = true;
    this.#ready.reject(new Error('the gateway has ended'));
    this.#parkTimer.cancel();
    this.#pruneTimer?.cancel();
    this.#routes.clear();
    this.#waiting.refuse(closingRefusal());
    this.#onIdle?.();
  }
}

type InstanceMessage = Extract<CoreMessage, { kind: 'instance' }>;
