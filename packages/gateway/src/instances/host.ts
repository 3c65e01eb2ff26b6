import { createError } from '@berth/contract/errors';
import { type Clock, createLimiter } from '@berth/kit';
import { type Capacity, fitsInto, minus, NO_CAPACITY, plus, shareOf, timesIn } from './capacity.ts';

/** An idle instance that may be stopped to free its capacity for another service. */
export interface Reclaimable extends Capacity {
  readonly deployment: string;
  readonly idleSinceMs: number;
  /** Stops the instance. {@link Reservation.release} then returns its capacity. */
  stop(): void;
}

/** Capacity that is reserved for one instance. */
export interface Reservation {
  /** Returns the capacity. Idempotent. */
  release(): void;
  /** Marks the capacity as about to be released, because the instance is being stopped: no other instance is then stopped for it. Idempotent. */
  releaseSoon(): void;
}

/** The capacity that an instance needs. */
export interface CapacityRequest extends Capacity {
  readonly deployment: string;
  readonly revision: string;
}

/** The machine's capacity for instances. `cpuMillis` is what may be reserved, which may be more than the machine has. */
export interface HostOptions extends Capacity {
  readonly clock: Clock;
  /** Instances that may start at the same time. */
  readonly simultaneousStarts: number;
  /** A start that takes longer lets the next one begin. */
  readonly startSlotHoldMs: number;
  /** Returns the instances that may be stopped to free capacity. */
  readonly reclaimable: (forDeployment: string) => Iterable<Reclaimable>;
  /** Asks idle instances whether they may be stopped, so that {@link reclaimable} has more. False when none was left to ask. */
  readonly findReclaimable: (forDeployment: string) => Promise<boolean>;
  /** Called when capacity was freed and no request waits for it. */
  readonly onCapacityFreed: () => void;
}

/**
 * The machine's capacity for instances, shared by all services. Invariants:
 * H1: The reservations never exceed the budget of memory or of CPU.
 * H2: No instance is stopped for a request that wouldn't fit even then.
 * H3: Waiting requests are served in this order: revisions without an instance, then the smallest share, then first come.
 * H4: The last tenth of the capacity goes to a revision's first instance, or to a deployment with less than its fair share.
 * H5: For an instance after the first, others are stopped only when they have been idle for a long time or their deployment has a larger share.
 * H6: Capacity that comes free belongs to the requests that wait. Only a revision's first instance may take it from a request for a further
 * instance, which is then refused.
 */
export type Host = ReturnType<typeof createHost>;

/** The share that is kept for services without an instance, so that busy ones can't take everything. */
const RESERVE_RATIO = 0.1;
/** An instance that has been idle for longer may be stopped for a busy service. A cold start takes less than a second. */
const LONG_IDLE_MS = 30_000;

interface Waiter {
  readonly request: CapacityRequest;
  readonly wake: () => void;
  readonly refuse: () => void;
}

export function createHost(options: HostOptions) {
  const budget: Capacity = options;
  const reserve: Capacity = {
    memoryBytes: budget.memoryBytes * RESERVE_RATIO,
    cpuMillis: budget.cpuMillis * RESERVE_RATIO,
  };
  const starts = createLimiter({ concurrency: options.simultaneousStarts });
  let free: Capacity = { memoryBytes: budget.memoryBytes, cpuMillis: budget.cpuMillis };
  /** The capacity of instances that are being stopped. */
  let leaving = NO_CAPACITY;
  const heldBy = new Map<string, Capacity>();
  /** The number of instances by revision. */
  const counts = new Map<string, number>();
  const waiters = new Set<Waiter>();

  const held = (deployment: string) => heldBy.get(deployment) ?? NO_CAPACITY;
  const isFirst = (request: CapacityRequest) => !counts.has(keyOf(request));
  const waiting = () => [...waiters].reduce((sum, { request }) => plus(sum, request), NO_CAPACITY);

  /** Returns whether H4 lets the request take from this capacity. */
  const mayTake = (request: CapacityRequest, capacity: Capacity): boolean => {
    if (!fitsInto(request, capacity)) return false;
    if (isFirst(request) || fitsInto(plus(request, reserve), capacity)) return true;
    const fairShare = 1 / (heldBy.size + 1);
    return shareOf(plus(held(request.deployment), request), budget) <= fairShare;
  };

  const take = (request: CapacityRequest): Reservation => {
    const { deployment } = request;
    free = minus(free, request);
    heldBy.set(deployment, plus(held(deployment), request));
    counts.set(keyOf(request), (counts.get(keyOf(request)) ?? 0) + 1);
    let state: 'held' | 'leaving' | 'released' = 'held';
    return {
      releaseSoon() {
        if (state !== 'held') return;
        state = 'leaving';
        leaving = plus(leaving, request);
      },
      release() {
        if (state === 'released') return;
        if (state === 'leaving') leaving = minus(leaving, request);
        state = 'released';
        free = plus(free, request);
        giveBack(request);
        serveWaiters();
        if (waiters.size === 0) options.onCapacityFreed();
      },
    };
  };

  const giveBack = (request: CapacityRequest) => {
    const count = (counts.get(keyOf(request)) ?? 1) - 1;
    if (count === 0) counts.delete(keyOf(request));
    else counts.set(keyOf(request), count);
    const rest = minus(held(request.deployment), request);
    if (rest.memoryBytes <= 0) heldBy.delete(request.deployment);
    else heldBy.set(request.deployment, rest);
  };

  const rank = ({ request }: Waiter) => (isFirst(request) ? -1 : shareOf(held(request.deployment), budget));

  /** Serves waiters one at a time, because each changes the shares. A next waiter that doesn't fit keeps others from overtaking it. */
  const serveWaiters = () => {
    for (;;) {
      const [next] = [...waiters].sort((a, b) => rank(a) - rank(b));
      if (next === undefined || !fitsInto(next.request, free)) return;
      waiters.delete(next);
      next.wake();
    }
  };

  /** H6: Refuses waiters for further instances, newest first, until a first instance will fit; false when that isn't enough. */
  const takePlaceOfOthers = (request: CapacityRequest): boolean => {
    if (!isFirst(request)) return false;
    let capacity = minus(plus(free, leaving), waiting());
    const refused: Waiter[] = [];
    for (const waiter of [...waiters].reverse()) {
      if (isFirst(waiter.request)) continue;
      refused.push(waiter);
      capacity = plus(capacity, waiter.request);
      if (!fitsInto(request, capacity)) continue;
      for (const one of refused) one.refuse();
      return true;
    }
    return false;
  };

  /** Stops idle instances, longest idle first, until the request fits or will fit. Stops none and returns false when it can't. */
  const makeRoom = (request: CapacityRequest): boolean => {
    let capacity = minus(plus(free, leaving), waiting());
    if (mayTake(request, capacity)) return true;
    const shareAfter = shareOf(plus(held(request.deployment), request), budget);
    const longIdleMs = options.clock.monotonicMs() - LONG_IDLE_MS;
    const mayStop = ({ deployment, idleSinceMs }: Reclaimable) =>
      isFirst(request) || idleSinceMs <= longIdleMs || shareOf(held(deployment), budget) > shareAfter;
    const idle = [...options.reclaimable(request.deployment)].filter(mayStop);
    const victims: Reclaimable[] = [];
    for (const instance of idle.sort((a, b) => a.idleSinceMs - b.idleSinceMs)) {
      victims.push(instance);
      capacity = plus(capacity, instance);
      if (!mayTake(request, capacity)) continue;
      for (const victim of victims) victim.stop();
      return true;
    }
    return false;
  };

  return {
    /** Returns whether an instance of this size fits when nothing else runs. */
    couldFit: (need: Capacity): boolean => fitsInto(need, budget),
    /** Returns how many further instances of this size fit now, without the last tenth and without stopping any. */
    fits: (need: Capacity): number => timesIn(need, minus(minus(free, reserve), waiting())),
    /** Returns whether {@link reserve} would succeed at once, without stopping an instance. */
    hasCapacity: (request: CapacityRequest): boolean => mayTake(request, minus(free, waiting())),
    /**
     * Waits until an instance may start. Returns the function that lets the next one start, which is idempotent.
     * @throws the signal's reason when it aborts.
     */
    async acquireStart(signal: AbortSignal): Promise<() => void> {
      const slot = await starts.acquire({ signal });
      const timer = options.clock.setTimer(options.startSlotHoldMs, slot.release);
      return () => {
        timer.cancel();
        slot.release();
      };
    },
    /**
     * Reserves capacity. Waits only for instances that are asked whether they may be stopped, and for those that are being stopped.
     * @throws BerthError `out_of_capacity` when stopping idle instances of others would not free enough.
     * @throws the signal's reason when it aborts.
     */
    async reserve(request: CapacityRequest, signal: AbortSignal): Promise<Reservation> {
      signal.throwIfAborted();
      if (waiters.size === 0 && mayTake(request, free)) return take(request);
      if (!fitsInto(request, budget)) throw outOfCapacity(request, budget, free);
      while (!makeRoom(request)) {
        if (await options.findReclaimable(request.deployment)) signal.throwIfAborted();
        else if (takePlaceOfOthers(request)) break;
        else throw outOfCapacity(request, budget, free);
      }
      if (waiters.size === 0 && mayTake(request, free)) return take(request);
      return await new Promise((resolve, reject) => {
        const waiter: Waiter = {
          request,
          wake() {
            signal.removeEventListener('abort', onAbort);
            resolve(take(request));
          },
          refuse() {
            waiters.delete(waiter);
            signal.removeEventListener('abort', onAbort);
            reject(outOfCapacity(request, budget, free));
          },
        };
        const onAbort = () => {
          waiters.delete(waiter);
          reject(signal.reason);
          serveWaiters();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiters.add(waiter);
        serveWaiters();
      });
    },
  };
}

function keyOf({ deployment, revision }: CapacityRequest): string {
  return `${deployment} ${revision}`;
}

function outOfCapacity(need: Capacity, budget: Capacity, free: Capacity) {
  const isMemory = need.memoryBytes > free.memoryBytes || need.cpuMillis <= free.cpuMillis;
  const facts = isMemory
    ? `${mebibytes(need.memoryBytes)} of memory; of the ${mebibytes(budget.memoryBytes)} for instances ${mebibytes(free.memoryBytes)} are free`
    : `${cpus(need.cpuMillis)} CPU; of the ${cpus(budget.cpuMillis)} that instances may be promised ${cpus(free.cpuMillis)} are free`;
  const what = isMemory ? 'memory' : 'CPU';
  return createError(
    'out_of_capacity',
    `The service needs ${facts}. Delete a service or deploy one with less ${what}. Memory reserved for other services is not available.`,
  );
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}

function cpus(millis: number): string {
  return String(Math.round(millis / 10) / 100);
}
