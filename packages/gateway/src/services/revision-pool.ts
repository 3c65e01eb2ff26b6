import type { BerthError, InstanceId, Timer } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';
import { chooseInstance } from '../admission/choose-instance.ts';
import { queuePlaces } from '../admission/queue-bounds.ts';
import { queueFullRefusal, type Refusal, stoppedRefusal, upstreamRefusal } from '../admission/refusal.ts';
import { RequestQueue } from '../admission/request-queue.ts';
import type { Route, SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import { decideStarts, startReason } from '../autoscaler/decide-starts.ts';
import { StartHistory } from '../autoscaler/start-history.ts';
import { targetLoad, wantedInstances } from '../autoscaler/wanted-instances.ts';
import type { InstanceContext } from '../instances/instance-context.ts';
import { createInstanceLifecycle, type InstanceOwner, type Start } from '../instances/instance-lifecycle.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import { describeExit } from '../instances/start-errors.ts';
import { type RevisionTarget, routeOf, type StartReason, type StopReason } from '../port/gateway.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';
import { Fleet } from './fleet.ts';
import { Holds } from './holds.ts';
import { IdleInstances } from './idle-instances.ts';
import { refusalAtDeadline } from './refusal-at-deadline.ts';
import type { SlotHolders } from './slot-holders.ts';

/** Dependencies of a pool. */
export interface PoolContext extends InstanceContext {
  /** Called when the pool gets an instance or a queued request, so that it is ticked from then on. */
  readonly onLive: (pool: RevisionPool) => void;
  /** The processes that hold slots; absent when every request is admitted in this event loop. */
  readonly holders?: SlotHolders;
}

/**
 * The instances of one revision and its request queue. A pool runs in one event loop and never awaits between reading its state and
 * changing it. Invariants (revision-pool.property.test.ts):
 * I1: an instance serves at most C requests. I2: there are at most max_instances instances, draining ones included
 * and evicted ones not.
 * I3: every admitted ticket is granted once, refused once or withdrawn. I4: grants follow the order of admission, except for session
 * affinity and readmitted requests. I8: no request waits while a slot is free. I11: while the pool has the route, it keeps min_instances
 * of the ready instances. I12: an instance that says that it is busy is neither suspended nor stopped, but at the end of its time.
 */
export class RevisionPool implements InstanceOwner, SlotPool {
  readonly target: RevisionTarget;
  /** Timeouts of the granted requests. Each request adds and removes itself. */
  readonly timeouts: TimeoutList;
  readonly #context: PoolContext;
  readonly #lifecycle: ReturnType<typeof createInstanceLifecycle>;
  readonly #fleet = new Fleet();
  readonly idle: IdleInstances;
  readonly holds: Holds;
  readonly #line: RequestQueue;
  readonly #history: StartHistory;
  readonly #targetLoad: number;
  readonly #gone = Promise.withResolvers<void>();
  #inFlight = 0;
  #isRetired = false;
  /** Whether requests wait, as last reported to the slot holders. */
  #isCrowded = false;
  /** The machine had no capacity. Scaling pauses until the next tick or until capacity is freed. */
  #isStarved = false;
  #lastLossWasCrash = false;
  /** After a lack of capacity: until this time, kept instances start only when capacity is already free. */
  #nextCapacitySearchMs = Number.NEGATIVE_INFINITY;
  #backoffTimer: Timer | null = null;

  constructor(context: PoolContext, target: RevisionTarget) {
    const { clock, policy } = context;
    this.#context = context;
    this.target = target;
    this.timeouts = new TimeoutList(clock);
    this.#lifecycle = createInstanceLifecycle(context, target, this);
    this.#history = new StartHistory(policy);
    this.idle = new IdleInstances({
      ...{ context, target, fleet: this.#fleet, lifecycle: this.#lifecycle },
      load: () => (this.#isRetired ? undefined : this),
    });
    this.holds = new Holds(clock, this.#fleet, this.#lifecycle, () => this.start('request'));
    this.#targetLoad = targetLoad(target.concurrency, policy);
    this.#line = new RequestQueue({
      clock,
      policy,
      observe: (nowMs) => ({
        meanStartMs: this.#history.meanMs,
        coldStartAgeMs: this.#fleet.coldStartAgeMs(nowMs),
      }),
      onExpired: (ticket, nowMs) => this.#refuse(ticket, nowMs),
    });
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get queued(): number {
    return this.#line.size;
  }

  get fleet(): Pick<Fleet, 'all' | 'busy' | 'ready' | 'serving' | 'size'> {
    return this.#fleet;
  }

  admit(ticket: Ticket): void {
    const nowMs = this.#context.clock.monotonicMs();
    if (this.#line.size === 0 && !this.target.isStopped) {
      const instance = this.#choose(ticket);
      if (instance !== undefined) {
        this.#grant(ticket, instance, nowMs);
        return;
      }
    }
    const { policy } = this.#context;
    const places = queuePlaces(this.target.concurrency, this.#fleet.serving, policy);
    if (this.#line.size >= places || this.#line.bytes + ticket.queuedBytes > policy.queueBytesMax) {
      ticket.refuse(queueFullRefusal(this.target.deployment, this.#history.meanMs));
      return;
    }
    this.#enqueue(ticket, nowMs, false);
  }

  readmit(ticket: Ticket): void {
    this.#enqueue(ticket, this.#context.clock.monotonicMs(), true);
  }

  withdraw(ticket: Ticket): void {
    this.#line.remove(ticket);
    this.#loadChanged(this.#context.clock.monotonicMs());
  }

  /**
   * Returns a slot, once for each grant.
   * @param usedUntilMs when the slot's request ended, if that was earlier. The account does not pay for a parked slot.
   */
  release(instance: ServiceInstance, usedUntilMs?: number): void {
    const nowMs = this.#context.clock.monotonicMs();
    instance.usedUntilMs = Math.max(instance.usedUntilMs, usedUntilMs ?? nowMs);
    instance.inFlight--;
    this.#inFlight--;
    this.#loadChanged(nowMs);
    if (instance.inFlight === 0) {
      instance.settleBilling(instance.usedUntilMs);
      instance.idleSinceMs = instance.usedUntilMs;
      if (instance.state === 'draining') this.#lifecycle.onEmpty(instance);
    }
    if (this.#line.size > 0) this.#dispatch(nowMs);
  }

  countHeld(instanceId: string, count: number): ServiceInstance | undefined {
    const instance = this.#fleet.ready.find(({ id }) => id === instanceId);
    if (!instance || count === 0) return instance;
    const nowMs = this.#context.clock.monotonicMs();
    if (instance.inFlight === 0) instance.billable.start(nowMs);
    instance.inFlight += count;
    this.#inFlight += count;
    this.#loadChanged(nowMs);
    return instance;
  }

  /** Leaves all instances and requests to another process. Resolves when it may count them. */
  leave(): Promise<void> {
    this.#isRetired = true;
    this.#backoffTimer?.cancel();
    const moved = this.#context.holders?.onMoved(routeOf(this.target));
    for (const instance of [...this.#fleet.all]) this.#lifecycle.leave(instance);
    return moved ?? Promise.resolve();
  }

  onConnectFailed(instance: ServiceInstance): void {
    this.#lifecycle.markUnready(instance);
  }

  refusalOf(kind: UpstreamErrorKind): Refusal {
    return upstreamRefusal(kind, this.target.deployment);
  }

  /** Starts and keeps `minInstances` instances. Called when the pool gets the route. */
  onRoute(): void {
    if (this.target.minInstances === 0 || this.target.isStopped) return;
    const nowMs = this.#context.clock.monotonicMs();
    this.#context.onLive(this);
    this.#fleet.keep(this.target.minInstances, nowMs);
    this.#scale(nowMs);
  }

  /** Starts an instance, whether or not requests need it. @param id of a running one to adopt */
  start(reason: StartReason, onNotice?: (message: string) => void, id?: InstanceId): Start {
    const start = this.#lifecycle.start(reason, onNotice, id);
    this.#fleet.add(start.instance);
    this.#context.onLive(this);
    return start;
  }

  /**
   * Scales the pool: stops instances that are not needed and starts those that are. Called every two seconds.
   * @returns false when the pool has no instances, queued requests or instances to keep, and needs no more ticks.
   */
  tick(): boolean {
    const nowMs = this.#context.clock.monotonicMs();
    for (const instance of this.#fleet.all) {
      instance.upstream?.prune();
      this.#lifecycle.bill(instance);
      this.#lifecycle.watchWork(instance);
    }
    if (!this.#isRetired) {
      this.idle.settle();
      this.#isStarved = false;
      this.#scale(nowMs);
    }
    return this.#fleet.size > 0 || this.#line.size > 0 || this.#fleet.minInstances > 0;
  }

  /** Stops an idle instance to free its capacity for another service. */
  reclaim(instance: ServiceInstance): void {
    this.#lifecycle.drain(instance, 'scale_down', 0);
  }

  /** Scales the pool if it lacked capacity. Called when capacity is freed. */
  onCapacityFreed(): void {
    if (!this.#isStarved) return;
    this.#isStarved = false;
    this.#scale(this.#context.clock.monotonicMs());
  }

  /** Moves all queued requests to another pool, in order. @param route the pool's, if that isn't the same */
  moveQueueTo(other: RevisionPool, route?: Route): void {
    const nowMs = this.#context.clock.monotonicMs();
    for (let ticket = this.#line.shift(); ticket !== null; ticket = this.#line.shift()) {
      if (route) ticket.reroute(route);
      other.#enqueue(ticket, nowMs, false);
    }
    this.#loadChanged(nowMs);
  }

  /** Refuses all queued requests. */
  refuseQueue(refusal: Refusal): void {
    for (let ticket = this.#line.shift(); ticket !== null; ticket = this.#line.shift()) ticket.refuse(refusal);
    this.#loadChanged(this.#context.clock.monotonicMs());
  }

  /**
   * Drains and stops every instance; resolves when all are gone. The pool scales up no more. A second call can only shorten the
   * drain.
   */
  retire(reason: StopReason, withinMs: number): Promise<void> {
    this.#isRetired = true;
    this.#fleet.keep(0, this.#context.clock.monotonicMs());
    this.#backoffTimer?.cancel();
    for (const instance of [...this.#fleet.all]) this.#lifecycle.drain(instance, reason, withinMs);
    if (this.#fleet.size === 0) this.#gone.resolve();
    return this.#gone.promise;
  }

  onReady(instance: ServiceInstance, startMs: number | undefined): void {
    const nowMs = this.#context.clock.monotonicMs();
    this.#fleet.addReady(instance, nowMs);
    const isAdopted = instance.reason === 'adopted' && startMs !== undefined;
    if (isAdopted) this.countHeld(instance.id, this.#context.holders?.onAdopted(instance, this) ?? 0);
    if (startMs !== undefined) this.#history.recordReady(startMs, nowMs);
    this.#lastLossWasCrash = false;
    this.#dispatch(nowMs);
  }

  onNotReady(instance: ServiceInstance): void {
    this.#fleet.removeReady(instance, this.#context.clock.monotonicMs());
    this.#context.holders?.onNotReady(instance);
  }

  onStartFailed(instance: ServiceInstance, error: BerthError): void {
    const nowMs = this.#context.clock.monotonicMs();
    if (error.code === 'out_of_capacity') {
      this.#isStarved = true;
      this.#nextCapacitySearchMs = nowMs + this.#context.policy.startBackoffMaxMs;
      this.#history.recordNoCapacity(error);
    } else if (error.code !== 'cancelled') {
      this.#history.recordFailure(error, instance.requestedAtMs, nowMs);
    }
    this.#afterLoss(nowMs);
  }

  onCrashed(instance: ServiceInstance, exit: InstanceExit): void {
    const nowMs = this.#context.clock.monotonicMs();
    this.#lastLossWasCrash = true;
    const message = `The service ${describeExit(exit, this.target.memoryBytes)}.`;
    this.#history.recordFailure({ code: 'crashed', message }, instance.requestedAtMs, nowMs);
    this.#afterLoss(nowMs);
  }

  /** Starts the successor first, beyond max_instances: the instance that leaves still serves meanwhile. */
  onEvicted(instance: ServiceInstance): void {
    const drain = () => this.#lifecycle.drain(instance, 'evicted', this.#context.policy.drainMaxMs);
    if (this.#isRetired || instance.state !== 'ready') {
      drain();
      return;
    }
    void this.start('evicted').ready.then(drain, drain);
  }

  onGone(instance: ServiceInstance): void {
    this.#fleet.remove(instance);
    this.#context.holders?.onGone(instance);
    if (this.#isRetired && this.#fleet.size === 0) this.#gone.resolve();
    // The instance counted towards max_instances and may have blocked a start.
    if (this.#line.size > 0 || this.#fleet.minInstances > 0) this.#scale(this.#context.clock.monotonicMs());
  }

  #choose(ticket: Ticket): ServiceInstance | undefined {
    if (ticket.affinityKey !== undefined) {
      const instance = this.#fleet.findByAffinityKey(ticket.affinityKey);
      if (instance !== undefined && instance.inFlight < this.target.concurrency) return instance;
    }
    return chooseInstance(this.#fleet.ready, this.target.concurrency, this.#context.policy);
  }

  /** Counts the slot as taken before anything else can run. */
  #grant(ticket: Ticket, instance: ServiceInstance, nowMs: number): void {
    if (instance.inFlight === 0) instance.billable.start(nowMs);
    instance.inFlight++;
    if (instance.work !== null) this.#lifecycle.work.forget(instance, 'request');
    this.#inFlight++;
    this.#loadChanged(nowMs);
    if (this.#inFlight > this.#targetLoad * this.#fleet.ready.length) this.#scale(nowMs);
    ticket.grant(instance, this);
  }

  #dispatch(nowMs: number): void {
    for (let ticket = this.#line.first; ticket !== null; ticket = this.#line.first) {
      const instance = this.#choose(ticket);
      if (instance === undefined) return;
      this.#line.remove(ticket);
      this.#grant(ticket, instance, nowMs);
    }
  }

  #enqueue(ticket: Ticket, nowMs: number, isFirst: boolean): void {
    if (this.target.isStopped) ticket.refuse(stoppedRefusal(this.target.deployment));
    else this.#line.add(ticket, nowMs, isFirst);
    this.#context.onLive(this);
    this.#loadChanged(nowMs);
    this.#dispatch(nowMs);
    if (!ticket.isQueued) return;
    this.#scale(nowMs);
    if (this.#isHopeless() && ticket.queueDeadlineMs <= this.#history.nextStartAtMs) {
      this.#line.remove(ticket);
      this.#refuse(ticket, nowMs);
    }
  }

  #refuse(ticket: Ticket, nowMs: number): void {
    this.#loadChanged(nowMs);
    ticket.refuse(refusalAtDeadline(ticket, nowMs, this.target, this.#history, this.#fleet));
  }

  #afterLoss(nowMs: number): void {
    // Requests whose deadline is before the next possible start are refused now instead of at their deadline.
    if (this.#isHopeless()) this.#line.expireUntil(this.#history.nextStartAtMs, nowMs);
    this.#scale(nowMs);
  }

  #isHopeless(): boolean {
    return this.#history.failures > 0 && this.#fleet.serving === 0;
  }

  #scale(nowMs: number): void {
    if (this.#isRetired || this.#isStarved) return;
    const { serving, suspended, size, ready, minInstances } = this.#fleet;
    const { host, policy } = this.#context;
    const needed = wantedInstances(this.#inFlight + this.#line.size, this.target.concurrency, policy);
    const wanted = this.#fleet.wanted(needed, nowMs);
    const mayFit = nowMs >= this.#nextCapacitySearchMs || host.hasCapacity(this.target);
    const decision = decideStarts(
      {
        wanted,
        serving,
        existing: size,
        ready: ready.length,
        starting: serving - ready.length,
        suspended: suspended.length,
        maxInstances: this.target.maxInstances,
        minInstances: mayFit ? minInstances : 0,
        failures: this.#history.failures,
        nextStartAtMs: this.#history.nextStartAtMs,
      },
      nowMs,
    );
    for (const instance of suspended.slice(0, decision.resume)) void this.#lifecycle.resume(instance);
    const reason = startReason({ wanted, serving, isAfterCrash: this.#lastLossWasCrash });
    for (let i = 0; i < decision.start; i++) this.start(reason);
    if (decision.retryAtMs === undefined || this.#backoffTimer !== null) return;
    this.#backoffTimer = this.#context.clock.setTimer(decision.retryAtMs - nowMs, () => {
      this.#backoffTimer = null;
      this.#scale(this.#context.clock.monotonicMs());
    });
  }

  #loadChanged(nowMs: number): void {
    this.idle.loadChanged(this, nowMs);
    if (this.#line.size > 0 === this.#isCrowded) return;
    this.#isCrowded = !this.#isCrowded;
    this.#context.holders?.onCrowded(this);
  }
}
