import type { Clock, Logger, Timer } from '@berth/kit';
import { closingRefusal, type Refusal, unknownRefusal } from '../admission/refusal.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { Tunnel } from '../instances/serving-instance.ts';
import { routeOf, type ServedTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { HeldPool, HeldRoute } from '../services/slot-holders.ts';
import { AckWatch } from './ack-watch.ts';
import type { MessagePort } from './message-port.ts';
import { type Defer, Outbox } from './outbox.ts';
import { RemoteTicket, type TicketOwner, waitAges } from './remote-ticket.ts';
import type { CoreMessage, FromWorker, HeldSlots, PartitionEpoch, ToWorker, WorkerMessage } from './worker-messages.ts';

/** Dependencies of a worker session. */
export interface WorkerSessionContext {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly policy: GatewayPolicy;
  readonly secret: string | Uint8Array;
  readonly find: (deployment: string) => HeldRoute | undefined;
  readonly isClosing: () => boolean;
  readonly onRecords: (records: Uint8Array, count: number) => void;
  readonly defer?: Defer | undefined;
}

/** A pool that the worker was told of. */
interface KnownPool {
  readonly number: number;
  /** Whether the last message to the worker was `recall`. */
  isRecalled: boolean;
}

/** The slots of an instance that the worker holds. */
interface Lease {
  readonly number: number;
  readonly instance: ServiceInstance;
  readonly pool: HeldPool;
  readonly tunnel: Tunnel;
  /** Number of slots that the worker holds, including parked ones. */
  held: number;
  isBrokenOff: boolean;
}

/** Interval of the pings to a worker. */
const PING_MS = 5_000;

/**
 * The core's state of one worker: its waiting tickets, the slots it holds, the routes it knows. Invariants (workers.property.test.ts):
 * W1: the in-flight count of an instance includes exactly the slots that workers hold. W2: when a worker's port closes, its slots are
 * freed. W3: an instance is sent before its first grant, and forgotten when it is gone and the worker holds no slot of it.
 */
export class WorkerSession implements TicketOwner {
  readonly #context: WorkerSessionContext;
  readonly #port: MessagePort<FromWorker, ToWorker>;
  readonly #onUnresponsive: () => void;
  readonly #outbox: Outbox<CoreMessage>;
  readonly #tickets = new Map<number, RemoteTicket>();
  readonly #pools = new Map<HeldPool, KnownPool>();
  /** The pool to which the worker sends the requests of a deployment. */
  readonly #routed = new Map<string, HeldPool>();
  readonly #leases = new Map<string, Lease>();
  readonly #leaseByNumber = new Map<number, Lease>();
  readonly #acks: AckWatch;
  /** Slots that the worker declared of instances that this core doesn't have yet, by instance id. */
  readonly #declared = new Map<string, HeldSlots>();
  /** Numbers of the leases of services that another core has, until the worker knows. */
  readonly #moved = new Set<number>();
  #pingTimer: Timer | null = null;
  #lastNumber = 0;
  #hasEnded = false;

  constructor(
    context: WorkerSessionContext,
    port: MessagePort<FromWorker, ToWorker>,
    options: { readonly onUnresponsive: () => void; readonly onEnd: (session: WorkerSession) => void },
  ) {
    this.#context = context;
    this.#port = port;
    this.#onUnresponsive = options.onUnresponsive;
    this.#outbox = new Outbox((batch) => port.post(batch), context.defer);
    this.#acks = new AckWatch(context.clock, context.policy.workerAckMs, (what) => this.#giveUp(what));
    port.onMessage((batch) => {
      for (const message of batch) if (!this.#hasEnded) this.#handle(message);
    });
    port.onLost?.(() => this.#lose());
    port.onClose(() => {
      options.onEnd(this);
      this.#end();
    });
  }

  /** Sends the worker the policy, unless it has that, and all current routes. */
  begin(routes: Iterable<HeldRoute>, isSetUp = false): void {
    const { policy, secret } = this.#context;
    if (!isSetUp) this.#outbox.push({ kind: 'setup', policy, secret });
    for (const route of routes) if (route.current !== null) void this.route(route);
    this.#outbox.push({ kind: 'ready' });
  }

  /** Sends the worker a changed route. Resolves when the worker has acknowledged it or is gone. */
  route({ deployment, current }: HeldRoute): Promise<void> {
    const before = this.#routed.get(deployment);
    if (before !== undefined) this.#pools.delete(before);
    const version = this.#acks.next();
    if (current === null) {
      if (!this.#routed.delete(deployment)) return Promise.resolve();
      this.#outbox.push({ kind: 'unroute', version, deployment, isClosing: this.#context.isClosing() });
    } else {
      const number = ++this.#lastNumber;
      this.#routed.set(deployment, current);
      this.#pools.set(current, { number, isRecalled: false });
      this.#outbox.push({ kind: 'route', version, pool: number, target: servedTarget(current.target) });
    }
    return this.#acks.wait(version);
  }

  /** Tells the worker that this core has partitions. Resolves when the worker has declared its slots there, or is gone. */
  claim(partitions: readonly PartitionEpoch[]): Promise<void> {
    const version = this.#acks.next();
    this.#outbox.push({ kind: 'claim', version, partitions });
    return this.#acks.wait(version);
  }

  /**
   * Tells the worker that another core will have a service. Forgets the slots that it holds there, which the other core counts. Resolves when
   * the worker knows, and so has received all grants, or is gone.
   */
  moved(deployment: string): Promise<void> {
    const pool = this.#routed.get(deployment);
    if (pool === undefined) return Promise.resolve();
    this.#routed.delete(deployment);
    this.#pools.delete(pool);
    for (const ticket of [...this.#tickets.values()]) if (ticket.deployment === deployment) this.#withdraw(ticket);
    const left: number[] = [];
    for (const [id, { number, instance, tunnel, pool: its }] of [...this.#leases]) {
      if (routeOf(its.target) !== deployment) continue;
      instance.tunnels.delete(tunnel);
      this.#leases.delete(id);
      this.#leaseByNumber.delete(number);
      this.#moved.add(number);
      left.push(number);
    }
    for (const [id, { deployment: its }] of this.#declared) if (its === deployment) this.#declared.delete(id);
    const version = this.#acks.next();
    this.#outbox.push({ kind: 'unroute', version, deployment, isClosing: false, isMoved: true });
    return this.#acks.wait(version).then(() => {
      for (const number of left) this.#moved.delete(number);
    });
  }

  /** Takes over the slots that the worker declared of an instance that is about to be ready. Returns their number, which the caller counts. */
  adopt(instance: ServiceInstance, pool: HeldPool): number {
    const held = this.#declared.get(instance.id)?.count ?? 0;
    const known = this.#pools.get(pool);
    this.#declared.delete(instance.id);
    if (held === 0 || known === undefined) return 0;
    this.#addLease(instance, pool, known, held).held = held;
    return held;
  }

  /** Resolves when the worker has processed every message sent so far, or is gone. */
  settled(): Promise<void> {
    const version = this.#acks.next();
    this.#outbox.push({ kind: 'ping', version });
    return this.#acks.wait(version);
  }

  crowded(pool: HeldPool): void {
    const known = this.#pools.get(pool);
    if (known !== undefined) this.#tellCrowd(pool, known);
  }

  notReady(instance: ServiceInstance): void {
    const lease = this.#leases.get(instance.id);
    if (lease !== undefined && lease.held > 0) this.#outbox.push({ kind: 'out', instance: lease.number });
  }

  prune(instanceId: string): void {
    const lease = this.#leases.get(instanceId);
    if (lease !== undefined) this.#outbox.push({ kind: 'prune', instance: lease.number });
  }

  gone(instance: ServiceInstance): void {
    const lease = this.#leases.get(instance.id);
    if (lease !== undefined && lease.held === 0) this.#forget(lease);
  }

  onGranted(ticket: RemoteTicket, instance: ServiceInstance, pool: HeldPool): void {
    this.#tickets.delete(ticket.number);
    const known = this.#pools.get(pool);
    // Only pools with the route are asked, and the worker was sent the route first.
    if (known === undefined) throw new Error('slot of a pool without a route');
    this.#tellCrowd(pool, known);
    const lease = this.#leases.get(instance.id) ?? this.#addLease(instance, pool, known);
    lease.held++;
    const waited = waitAges(ticket, instance, this.#context.clock.monotonicMs());
    const granted = { kind: 'grant', ticket: ticket.number, instance: lease.number } as const;
    this.#outbox.push(waited === undefined ? granted : { ...granted, waited });
  }

  onRefused(ticket: RemoteTicket, refusal: Refusal): void {
    this.#tickets.delete(ticket.number);
    this.#outbox.push({ kind: 'refuse', ticket: ticket.number, refusal });
  }

  #handle(message: WorkerMessage): void {
    if (message.kind === 'ask') this.#ask(message);
    else if (message.kind === 'give') this.#takeBack(message);
    else if (message.kind === 'withdraw') this.#withdraw(this.#tickets.get(message.ticket));
    else if (message.kind === 'ack') this.#acks.acknowledged(message.version);
    else if (message.kind === 'hello') this.#begun();
    else if (message.kind === 'holding') {
      for (const slots of message.slots) {
        const { deployment, instance, count } = slots;
        const pool = this.#context.find(deployment)?.current;
        const known = pool && this.#pools.get(pool);
        const ready = pool?.countHeld(instance, count);
        if (pool && known && ready) this.#addLease(ready, pool, known, count).held = count;
        else this.#declared.set(instance, slots);
      }
      this.#acks.acknowledged(message.version);
    } else if (message.kind === 'records') this.#context.onRecords(message.records, message.count);
    else {
      const lease = this.#leaseByNumber.get(message.instance);
      lease?.pool.onConnectFailed(lease.instance);
    }
  }

  #ask(message: AskMessage): void {
    const ticket = new RemoteTicket(this, message, this.#context.clock.monotonicMs());
    const { deployment } = ticket;
    const pool = this.#context.find(deployment)?.current;
    this.#tickets.set(ticket.number, ticket);
    // The route was removed, and the worker has not received that message yet.
    if (!pool) ticket.refuse(this.#context.isClosing() ? closingRefusal() : unknownRefusal(deployment));
    else if (message.isFirst === true) pool.readmit(ticket);
    else pool.admit(ticket);
  }

  #withdraw(ticket: RemoteTicket | undefined): void {
    if (ticket === undefined) return;
    this.#tickets.delete(ticket.number);
    this.#context.find(ticket.deployment)?.current?.withdraw(ticket);
  }

  #takeBack({ instance: number, count, freeMs }: GiveMessage): void {
    const lease = this.#leaseByNumber.get(number);
    if (this.#moved.has(number)) return;
    if (lease === undefined || count > lease.held) {
      this.#giveUp('released slots that it did not hold');
      return;
    }
    const usedUntilMs = this.#context.clock.monotonicMs() - freeMs;
    lease.held -= count;
    for (let i = 0; i < count; i++) lease.pool.release(lease.instance, usedUntilMs);
    if (lease.held === 0 && lease.instance.state === 'gone') this.#forget(lease);
  }

  #addLease(instance: ServiceInstance, pool: HeldPool, known: KnownPool, held = 0): Lease {
    const number = ++this.#lastNumber;
    const tunnel: Tunnel = {
      close: () => this.#outbox.push({ kind: 'closeTunnels', instance: number }),
      destroy: () => this.#breakOff(lease),
    };
    const lease: Lease = { number, instance, pool, tunnel, held: 0, isBrokenOff: false };
    this.#leases.set(instance.id, lease);
    this.#leaseByNumber.set(number, lease);
    instance.tunnels.add(tunnel);
    const { host, port } = instance.handle?.address ?? { host: '', port: 0 };
    const { id, affinityKey } = instance;
    const useHttp2 = instance.readiness?.useHttp2 ?? false;
    const reached = { id, affinityKey, host, port, useHttp2 };
    const declared = held === 0 ? {} : { held };
    this.#outbox.push({ kind: 'instance', pool: known.number, instance: number, ...reached, ...declared });
    return lease;
  }

  #breakOff(lease: Lease): void {
    if (lease.isBrokenOff) return;
    lease.isBrokenOff = true;
    this.#outbox.push({ kind: 'breakOff', instance: lease.number });
  }

  #forget({ number, instance, tunnel }: Lease): void {
    this.#leases.delete(instance.id);
    this.#leaseByNumber.delete(number);
    instance.tunnels.delete(tunnel);
    this.#outbox.push({ kind: 'forget', instance: number });
  }

  #tellCrowd(pool: HeldPool, known: KnownPool): void {
    const isCrowded = pool.queued > 0;
    if (isCrowded === known.isRecalled) return;
    known.isRecalled = isCrowded;
    this.#outbox.push({ kind: isCrowded ? 'recall' : 'resume', pool: known.number });
  }

  #begun(): void {
    this.#acks.begun();
    this.#ping();
  }

  /** Pings the worker regularly, because a hung worker may hold slots that other requests wait for. */
  #ping(): void {
    this.#pingTimer = this.#context.clock.setTimer(PING_MS, () => {
      void this.settled();
      this.#ping();
    });
  }

  /** Drops the worker. Its process must end, so that it does not go on serving outside of the gateway. */
  #giveUp(reason: string): void {
    this.#context.logger.error({ reason }, 'a gateway worker was dropped');
    this.#onUnresponsive();
    this.#port.close();
  }

  /** Waits for nothing from the worker any more. Its slots stay counted until the end. */
  #lose(): void {
    this.#pingTimer?.cancel();
    for (const ticket of [...this.#tickets.values()]) this.#withdraw(ticket);
    this.#acks.end();
  }

  #end(): void {
    this.#hasEnded = true;
    // Tickets are withdrawn first, so that they are not granted the slots released below.
    this.#lose();
    for (const { instance, pool, tunnel, held } of [...this.#leases.values()]) {
      instance.tunnels.delete(tunnel);
      for (let i = 0; i < held; i++) pool.release(instance);
    }
    this.#leases.clear();
    this.#leaseByNumber.clear();
    this.#pools.clear();
    this.#declared.clear();
  }
}

type AskMessage = Extract<WorkerMessage, { kind: 'ask' }>;
type GiveMessage = Extract<WorkerMessage, { kind: 'give' }>;

/** Returns the part of a target that may be sent to a worker process. */
function servedTarget(target: ServedTarget): ServedTarget {
  const { account, deployment, revision, route, timeoutMs, concurrency, sessionAffinity } = target;
  const named = { account, deployment, revision, ...(route === undefined ? {} : { route }) };
  return { ...named, timeoutMs, concurrency, sessionAffinity };
}
