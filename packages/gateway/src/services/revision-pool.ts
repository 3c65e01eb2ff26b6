import { type BerthError, createDeferred, type Timer } from '@berth/kit';
import type { InstanceExit } from '@berth/runtime';
import { chooseInstance } from '../admission/choose-instance.ts';
import { queuePlaces } from '../admission/queue-bounds.ts';
import { deadlineRefusal, queueFullRefusal, type Refusal, upstreamRefusal } from '../admission/refusal.ts';
import { RequestQueue } from '../admission/request-queue.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import { ConcurrencyWindow } from '../autoscaler/concurrency-window.ts';
import { decideStarts } from '../autoscaler/decide-starts.ts';
import { decideStops, INITIAL_SCALE_STATE } from '../autoscaler/decide-stops.ts';
import { StartHistory } from '../autoscaler/start-history.ts';
import { startReason } from '../autoscaler/start-reason.ts';
import { targetLoad, wantedInstances } from '../autoscaler/wanted-instances.ts';
import type { InstanceContext } from '../instances/instance-context.ts';
import {
  createInstanceLifecycle,
  type InstanceLifecycle,
  type InstanceOwner,
  type Start,
} from '../instances/instance-lifecycle.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import { describeExit } from '../instances/start-errors.ts';
import type { RevisionTarget, StartReason, StopReason } from '../port/gateway.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';
import { Fleet } from './fleet.ts';
import { settleIdle } from './settle-idle.ts';
import type { SlotHolders } from './slot-holders.ts';

/** What a pool is built with. */
export interface PoolContext extends InstanceContext {
  /** The pool has something to look after: it wants to be ticked. */
  readonly onLive: (pool: RevisionPool) => void;
  /** Absent when all requests are admitted in this event loop. */
  readonly holders?: SlotHolders;
}

/**
 * The instances of one revision and the requests that wait for them. All of it runs in one event loop, and nothing is
 * awaited between a look and the change it leads to. Invariants (revision-pool.property.test.ts):
 * I1 an instance serves at most C requests. I2 there are at most max_instances, the ending ones counted.
 * I3 every admitted ticket is granted or refused once, or withdrawn. I4 grants come in the order of admission, but for affinity and for
 * requests sent back. I8 nobody waits while a slot is free. I11 while it has the route, min_instances of the ready ones are kept.
 */
export class RevisionPool implements InstanceOwner, SlotPool {
  readonly target: RevisionTarget;
  /** Deadlines of the requests it serves. Theirs to enter and leave. */
  readonly timeouts: TimeoutList;
  readonly #context: PoolContext;
  readonly #lifecycle: InstanceLifecycle;
  readonly #fleet = new Fleet();
  readonly #line: RequestQueue;
  readonly #history: StartHistory;
  readonly #window: ConcurrencyWindow;
  readonly #targetLoad: number;
  readonly #gone = createDeferred();
  #scaleState = INITIAL_SCALE_STATE;
  #inFlight = 0;
  #isRetired = false;
  /** Requests wait, as was told last. */
  #isCrowded = false;
  /** The machine had no room: it is not asked again before the next tick, or before some came free. */
  #isStarved = false;
  #lastLossWasCrash = false;
  /** There was no room: until then the ones to keep are started only where room is free. */
  #nextCapacitySearchMs = Number.NEGATIVE_INFINITY;
  #backoffTimer: Timer | null = null;

  constructor(context: PoolContext, target: RevisionTarget) {
    const { clock, policy } = context;
    this.#context = context;
    this.target = target;
    this.timeouts = new TimeoutList(clock);
    this.#lifecycle = createInstanceLifecycle(context, target, this);
    this.#history = new StartHistory(policy);
    this.#window = new ConcurrencyWindow(policy.stableWindowMs, clock.monotonicMs());
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

  get fleet(): Pick<Fleet, 'all' | 'ready' | 'serving' | 'size' | 'spare'> {
    return this.#fleet;
  }

  /** Takes a request: it is granted a slot at once, queued, or refused. */
  admit(ticket: Ticket): void {
    const nowMs = this.#context.clock.monotonicMs();
    if (this.#line.size === 0) {
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

  /** Takes back a request that was granted a slot and could not be sent: it is the next. Its slot is released before. */
  readmit(ticket: Ticket): void {
    this.#enqueue(ticket, this.#context.clock.monotonicMs(), true);
  }

  /** The client of a queued request is gone. */
  withdraw(ticket: Ticket): void {
    this.#line.remove(ticket);
    this.#loadChanged(this.#context.clock.monotonicMs());
  }

  /**
   * Gives a granted slot back; once for each grant.
   * @param usedUntilMs when its request ended, if that was earlier: whoever kept it did so at no cost of the account's.
   */
  release(instance: ServiceInstance, usedUntilMs?: number): void {
    const nowMs = this.#context.clock.monotonicMs();
    instance.usedUntilMs = Math.max(instance.usedUntilMs, usedUntilMs ?? nowMs);
    instance.inFlight--;
    this.#inFlight--;
    this.#loadChanged(nowMs);
    if (instance.inFlight === 0) {
      if (!instance.isKept) instance.billable.stop(instance.usedUntilMs);
      instance.idleSinceMs = instance.usedUntilMs;
      if (instance.state === 'draining') this.#lifecycle.onEmpty(instance);
    }
    if (this.#line.size > 0) this.#dispatch(nowMs);
  }

  /** An instance refused the connection for a request. */
  onConnectFailed(instance: ServiceInstance): void {
    this.#lifecycle.markUnready(instance);
  }

  refusalOf(kind: UpstreamErrorKind): Refusal {
    return upstreamRefusal(kind, this.target.deployment);
  }

  /** It has the route now: its `minInstances` are brought up and kept. */
  onRoute(): void {
    if (this.target.minInstances === 0) return;
    const nowMs = this.#context.clock.monotonicMs();
    this.#context.onLive(this);
    this.#fleet.keep(this.target.minInstances, nowMs);
    this.#scale(nowMs);
  }

  /** Starts an instance whether or not a request asks for it. */
  start(reason: StartReason, onNotice?: (message: string) => void): Start {
    const start = this.#lifecycle.start(reason, onNotice);
    this.#fleet.add(start.instance);
    this.#context.onLive(this);
    return start;
  }

  /**
   * Called every two seconds: stops what is not needed, starts what is. Answers whether the pool has anything left to
   * look after.
   */
  tick(): boolean {
    const { policy, clock } = this.#context;
    const nowMs = clock.monotonicMs();
    for (const instance of this.#fleet.all) {
      instance.upstream?.prune();
      this.#lifecycle.bill(instance);
    }
    if (!this.#isRetired) {
      const { idle } = this.#fleet;
      const decision = decideStops(
        {
          concurrency: this.target.concurrency,
          minInstances: this.#fleet.minInstances,
          ready: this.#fleet.ready.length,
          inFlight: this.#inFlight,
          queued: this.#line.size,
          stableLoad: this.#window.mean(policy.stableWindowMs, nowMs),
          panicLoad: this.#window.mean(policy.panicWindowMs, nowMs),
          idleSinceMs: idle.map((instance) => instance.idleSinceMs),
        },
        this.#scaleState,
        policy,
        nowMs,
      );
      this.#scaleState = decision.state;
      settleIdle({ fleet: this.#fleet, lifecycle: this.#lifecycle, policy, stop: decision.stop, nowMs });
      this.#isStarved = false;
      this.#scale(nowMs);
    }
    return this.#fleet.size > 0 || this.#line.size > 0 || this.#fleet.minInstances > 0;
  }

  /** Stops an instance that serves nothing, to make room for another service. */
  reclaim(instance: ServiceInstance): void {
    this.#lifecycle.drain(instance, 'scale_down', 0);
  }

  /** The machine has room again. */
  onCapacityFreed(): void {
    if (!this.#isStarved) return;
    this.#isStarved = false;
    this.#scale(this.#context.clock.monotonicMs());
  }

  /** Hands all that waits here to another pool, in order. */
  moveQueueTo(other: RevisionPool): void {
    const nowMs = this.#context.clock.monotonicMs();
    for (let ticket = this.#line.shift(); ticket !== null; ticket = this.#line.shift()) {
      other.#enqueue(ticket, nowMs, false);
    }
    this.#loadChanged(nowMs);
  }

  /** Refuses all that waits here. */
  refuseQueue(refusal: Refusal): void {
    for (let ticket = this.#line.shift(); ticket !== null; ticket = this.#line.shift()) ticket.refuse(refusal);
    this.#loadChanged(this.#context.clock.monotonicMs());
  }

  /**
   * Takes nothing any more: drains and stops every instance; resolves when they are gone. Called again, it may only
   * shorten the drain.
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

  onGone(instance: ServiceInstance): void {
    this.#fleet.remove(instance);
    this.#context.holders?.onGone(instance);
    if (this.#isRetired && this.#fleet.size === 0) this.#gone.resolve();
    // It may have been what max_instances left no room beside.
    if (this.#line.size > 0 || this.#fleet.minInstances > 0) this.#scale(this.#context.clock.monotonicMs());
  }

  #choose(ticket: Ticket): ServiceInstance | undefined {
    if (ticket.affinityKey !== undefined) {
      const instance = this.#fleet.findByAffinityKey(ticket.affinityKey);
      if (instance !== undefined && instance.inFlight < this.target.concurrency) return instance;
    }
    return chooseInstance(this.#fleet.ready, this.target.concurrency, this.#context.policy);
  }

  /** The slot is taken here, before anything else can happen. */
  #grant(ticket: Ticket, instance: ServiceInstance, nowMs: number): void {
    if (instance.inFlight === 0) instance.billable.start(nowMs);
    instance.inFlight++;
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
    this.#line.add(ticket, nowMs, isFirst);
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
    ticket.refuse(
      deadlineRefusal({
        deployment: this.target.deployment,
        nowMs,
        timeoutAtMs: ticket.timeoutAtMs,
        timeoutMs: ticket.timeoutAtMs - ticket.arrivedAtMs,
        meanStartMs: this.#history.meanMs,
        ready: this.#fleet.ready.length,
        instances: this.#fleet.size,
        maxInstances: this.target.maxInstances,
        startFailure: this.#history.failure,
        nextStartAtMs: this.#history.nextStartAtMs,
      }),
    );
  }

  #afterLoss(nowMs: number): void {
    // Those that no start can help in time need not wait to hear it.
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
    const wanted = wantedInstances(this.#inFlight + this.#line.size, this.target.concurrency, policy);
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
    for (const instance of suspended.slice(0, decision.resume)) this.#lifecycle.resume(instance);
    const reason = startReason({ wanted, serving, isAfterCrash: this.#lastLossWasCrash });
    for (let i = 0; i < decision.start; i++) this.start(reason);
    if (decision.retryAtMs === undefined || this.#backoffTimer !== null) return;
    this.#backoffTimer = this.#context.clock.setTimer(decision.retryAtMs - nowMs, () => {
      this.#backoffTimer = null;
      this.#scale(this.#context.clock.monotonicMs());
    });
  }

  #loadChanged(nowMs: number): void {
    this.#window.set(this.#inFlight + this.#line.size, nowMs);
    if (this.#line.size > 0 === this.#isCrowded) return;
    this.#isCrowded = !this.#isCrowded;
    this.#context.holders?.onCrowded(this);
  }
}
