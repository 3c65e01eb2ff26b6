import {
  ConcurrencyWindow,
  chooseInstance,
  deadlineRefusal,
  type GatewayPolicy,
  queueDeadlineMs,
  queuePlaces,
  StartHistory,
  targetLoad,
} from '@berth/gateway/policy';
import type { Arrival } from './create-arrivals.ts';
import type { Random } from './create-random.ts';
import type { ServiceProfile } from './draw-service.ts';
import type { EventQueue } from './event-queue.ts';
import type { Scaler, TickDecision } from './scaler.ts';
import { SimulatedFleet, type SimulatedInstance } from './simulated-fleet.ts';
import type { Tally } from './tally.ts';
import { type WaitingRequest, WaitingRequests } from './waiting-requests.ts';

/** What a simulated service is built with. */
export interface SimulatedServiceOptions {
  readonly events: EventQueue;
  readonly policy: GatewayPolicy;
  readonly profile: ServiceProfile;
  readonly scaler: Scaler;
  /** How long starts take, and which fail. */
  readonly random: Random;
  readonly tally: Tally;
  readonly onTick?: (decision: TickDecision, nowMs: number) => void;
}

/**
 * One service behind the gateway, in virtual time. It decides nothing: it asks the gateway's policy functions and its
 * scaler, at the moments the gateway asks them, and plays the program that starts, serves and stops.
 */
export class SimulatedService {
  readonly #options: SimulatedServiceOptions;
  readonly #fleet = new SimulatedFleet();
  readonly #line = new WaitingRequests();
  readonly #history: StartHistory;
  readonly #window: ConcurrencyWindow;
  readonly #targetLoad: number;
  #inFlight = 0;
  #hasTick = false;
  #hasRetry = false;

  constructor(options: SimulatedServiceOptions) {
    const { events, policy, profile, scaler } = options;
    this.#options = options;
    this.#history = new StartHistory(policy);
    this.#window = new ConcurrencyWindow(policy.stableWindowMs, events.nowMs);
    this.#targetLoad = targetLoad(profile.concurrency, policy);
    for (let i = 0; i < scaler.initialInstances; i++) {
      this.#fleet.setReady(this.#fleet.start(events.nowMs), events.nowMs);
    }
    if (profile.minInstances > 0) this.#scale(events.nowMs);
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#line.size;
  }

  get fleet(): Pick<SimulatedFleet, 'ready' | 'size' | 'all'> {
    return this.#fleet;
  }

  /** A request's headers are in. */
  arrive(arrival: Arrival): void {
    const { policy, profile, tally, events } = this.#options;
    const { nowMs } = events;
    tally.addRequest();
    if (this.#line.size === 0) {
      const instance = this.#choose();
      if (instance !== undefined) {
        this.#grant(arrival, instance, nowMs);
        return;
      }
    }
    if (this.#line.size >= queuePlaces(profile.concurrency, this.#fleet.serving, policy)) {
      tally.addRejection(429);
      return;
    }
    const request: WaitingRequest = { arrival, isWaiting: true, deadlineMs: 0 };
    this.#line.push(request);
    this.#setDeadline(request, nowMs);
    this.#scheduleTick(nowMs);
    this.#loadChanged(nowMs);
    this.#scale(nowMs);
    if (this.#isHopeless() && request.deadlineMs <= this.#history.nextStartAtMs) this.#expire(request, nowMs);
  }

  #choose(): SimulatedInstance | undefined {
    return chooseInstance(this.#fleet.ready, this.#options.profile.concurrency, this.#options.policy);
  }

  #setDeadline(request: WaitingRequest, nowMs: number): void {
    const { policy, events } = this.#options;
    const observed = {
      arrivedAtMs: request.arrival.atMs,
      timeoutAtMs: this.#timeoutAtMs(request.arrival),
      meanStartMs: this.#history.meanMs,
      coldStartAgeMs: this.#fleet.coldStartAgeMs(nowMs),
    };
    request.deadlineMs = queueDeadlineMs(observed, policy);
    events.at(request.deadlineMs, (firedAtMs) => {
      if (!request.isWaiting) return;
      // A cold start that goes on has moved the deadline.
      this.#setDeadline(request, firedAtMs);
      if (request.deadlineMs <= firedAtMs) this.#expire(request, firedAtMs);
    });
  }

  #expire(request: WaitingRequest, nowMs: number): void {
    const { profile, tally } = this.#options;
    this.#line.remove(request);
    this.#loadChanged(nowMs);
    const { status } = deadlineRefusal({
      deployment: 'simulated',
      nowMs,
      timeoutAtMs: this.#timeoutAtMs(request.arrival),
      timeoutMs: profile.timeoutMs,
      meanStartMs: this.#history.meanMs,
      ready: this.#fleet.ready.length,
      instances: this.#fleet.size,
      maxInstances: profile.maxInstances,
      startFailure: this.#history.failure,
      nextStartAtMs: this.#history.nextStartAtMs,
    });
    if (status === 429 || status === 503 || status === 504) tally.addRejection(status);
    else throw new Error(`a wait ended with status ${status}`);
  }

  #grant(arrival: Arrival, instance: SimulatedInstance, nowMs: number): void {
    const { events, policy, tally } = this.#options;
    instance.inFlight++;
    this.#inFlight++;
    this.#loadChanged(nowMs);
    tally.addWait(nowMs - arrival.atMs);
    const timeoutAtMs = this.#timeoutAtMs(arrival);
    const doneAtMs = nowMs + arrival.durationMs;
    if (doneAtMs > timeoutAtMs) tally.addRejection(504);
    events.at(Math.min(doneAtMs, timeoutAtMs + policy.slotHoldMs), (atMs) => this.#release(instance, atMs));
    if (this.#inFlight > this.#targetLoad * this.#fleet.ready.length) this.#scale(nowMs);
  }

  #release(instance: SimulatedInstance, nowMs: number): void {
    instance.inFlight--;
    this.#inFlight--;
    this.#loadChanged(nowMs);
    if (instance.inFlight === 0) instance.idleSinceMs = nowMs;
    this.#dispatch(nowMs);
    this.#stopIfUnused(instance, nowMs);
  }

  #dispatch(nowMs: number): void {
    for (let request = this.#line.first; request !== undefined; request = this.#line.first) {
      const instance = this.#choose();
      if (instance === undefined) return;
      this.#line.remove(request);
      this.#grant(request.arrival, instance, nowMs);
    }
  }

  #scale(nowMs: number): void {
    const { events, profile, scaler } = this.#options;
    const fleet = this.#fleet;
    const decision = scaler.decideStarts(
      {
        concurrency: profile.concurrency,
        load: this.#inFlight + this.#line.size,
        serving: fleet.serving,
        existing: fleet.size,
        ready: fleet.ready.length,
        starting: fleet.starting,
        suspended: 0,
        maxInstances: profile.maxInstances,
        minInstances: profile.minInstances,
        failures: this.#history.failures,
        nextStartAtMs: this.#history.nextStartAtMs,
      },
      nowMs,
    );
    for (let i = 0; i < decision.start; i++) this.#start(nowMs);
    if (decision.retryAtMs === undefined || this.#hasRetry) return;
    this.#hasRetry = true;
    events.at(decision.retryAtMs, (atMs) => {
      this.#hasRetry = false;
      this.#scale(atMs);
    });
  }

  #start(nowMs: number): void {
    const { events, profile, random, tally } = this.#options;
    tally.addColdStart();
    const instance = this.#fleet.start(nowMs);
    this.#scheduleTick(nowMs);
    const startMs = profile.startMs * (1 + profile.startSpreadRatio * (2 * random() - 1));
    const isGood = random() >= profile.startFailureRatio;
    events.at(nowMs + startMs, (atMs) => {
      if (isGood) this.#becomeReady(instance, atMs);
      else this.#failStart(instance, atMs);
    });
  }

  #becomeReady(instance: SimulatedInstance, nowMs: number): void {
    this.#fleet.setReady(instance, nowMs);
    this.#history.recordReady(nowMs - instance.requestedAtMs, nowMs);
    this.#dispatch(nowMs);
    this.#stopIfUnused(instance, nowMs);
  }

  #failStart(instance: SimulatedInstance, nowMs: number): void {
    this.#remove(instance, nowMs);
    const failure = { code: 'start_failed', message: 'The simulated program ended.' };
    this.#history.recordFailure(failure, instance.requestedAtMs, nowMs);
    if (this.#isHopeless()) {
      for (const request of this.#line.dueUntil(this.#history.nextStartAtMs)) this.#expire(request, nowMs);
    }
    this.#scale(nowMs);
  }

  #isHopeless(): boolean {
    return this.#history.failures > 0 && this.#fleet.serving === 0;
  }

  #stopIfUnused(instance: SimulatedInstance, nowMs: number): void {
    if (this.#options.scaler.stopsWhenIdle && instance.inFlight === 0) this.#stop(instance, nowMs);
  }

  #stop(instance: SimulatedInstance, nowMs: number): void {
    const { events, profile } = this.#options;
    this.#fleet.setStopping(instance);
    events.at(nowMs + profile.stopMs, (atMs) => {
      this.#remove(instance, atMs);
      // It may have been what max_instances left no room beside.
      if (this.#line.size > 0) this.#scale(atMs);
    });
  }

  #remove(instance: SimulatedInstance, nowMs: number): void {
    this.#fleet.remove(instance);
    this.#options.tally.addInstance(instance.requestedAtMs, nowMs);
  }

  /** Ticks come at multiples of the tick's length, and only while there is something to look after. */
  #scheduleTick(nowMs: number): void {
    const { events, policy, scaler } = this.#options;
    if (this.#hasTick || scaler.tick === undefined) return;
    this.#hasTick = true;
    events.at((Math.floor(nowMs / policy.tickMs) + 1) * policy.tickMs, (atMs) => {
      this.#hasTick = false;
      this.#tick(atMs);
      if (this.#fleet.size > 0 || this.#line.size > 0) this.#scheduleTick(atMs);
    });
  }

  #tick(nowMs: number): void {
    const { policy, profile, scaler, onTick } = this.#options;
    const { idle } = this.#fleet;
    const decision = scaler.tick?.(
      {
        concurrency: profile.concurrency,
        minInstances: profile.minInstances,
        ready: this.#fleet.ready.length,
        inFlight: this.#inFlight,
        queued: this.#line.size,
        stableLoad: this.#window.mean(policy.stableWindowMs, nowMs),
        panicLoad: this.#window.mean(policy.panicWindowMs, nowMs),
        idleSinceMs: idle.map(({ idleSinceMs }) => idleSinceMs),
      },
      nowMs,
    );
    if (decision === undefined) return;
    for (const instance of idle.slice(0, decision.stop)) this.#stop(instance, nowMs);
    this.#scale(nowMs);
    onTick?.(decision, nowMs);
  }

  #timeoutAtMs(arrival: Arrival): number {
    return arrival.atMs + this.#options.profile.timeoutMs;
  }

  #loadChanged(nowMs: number): void {
    this.#window.set(this.#inFlight + this.#line.size, nowMs);
  }
}
