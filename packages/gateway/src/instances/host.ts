import { createError } from '@berth/contract/errors';
import { type Clock, createLimiter } from '@berth/kit';
import { type Capacity, fitsInto, minus, NO_CAPACITY, plus, shareOf, timesIn } from './capacity.ts';

/** An idle instance that another service may take the room of. */
export interface Reclaimable extends Capacity {
  readonly deployment: string;
  readonly idleSinceMs: number;
  /** Stops it; its room comes back through {@link Reservation.release}. */
  stop(): void;
}

/** Capacity set aside for one instance. */
export interface Reservation {
  /** Gives it back. Idempotent. */
  release(): void;
  /** It will be released soon (the instance is being stopped), so nobody else need be stopped for it. Idempotent. */
  releaseSoon(): void;
}

/** An instance that wants room. */
export interface CapacityRequest extends Capacity {
  readonly deployment: string;
  readonly revision: string;
}

/** What the machine has for instances; `cpuMillis` is what it may promise, which may be more than it has. */
export interface HostOptions extends Capacity {
  readonly clock: Clock;
  /** Instances that may be starting at once. */
  readonly simultaneousStarts: number;
  /** A start that takes longer lets the next one begin. */
  readonly startSlotHoldMs: number;
  /** Instances that may be stopped to make room. */
  readonly reclaimable: (forDeployment: string) => Iterable<Reclaimable>;
  /** Capacity came free, and nobody waited for it. */
  readonly onCapacityFreed: () => void;
}

/**
 * The machine's room for instances, shared by all services.
 * H1: the reservations never pass the budget, neither of memory nor of CPU. H2: nothing is stopped for a request that would not fit
 * even so. H3: of those that wait, revisions without an instance are served first, then who has the smallest share, then who came first.
 * H4: an instance more than the first is given from the last tenth of the room only to who has less than its fair share. H5: an instance
 * more than the first makes others stop only what is idle for long, or who has more. H6: what waits was promised room that comes free; only a
 * first instance may take that of one more than the first, which is then refused.
 */
export interface Host {
  /**
   * Sets room aside; waits only for instances that are being stopped.
   * @throws BerthError `out_of_capacity` when idle instances of others would not make enough room.
   * @throws the signal's reason when it aborts.
   */
  reserve(request: CapacityRequest, signal: AbortSignal): Promise<Reservation>;
  /**
   * Waits until an instance may start. Returns the function that lets the next one start, which is idempotent.
   * @throws the signal's reason when it aborts.
   */
  acquireStart(signal: AbortSignal): Promise<() => void>;
  /** How many instances of this size, more than the first, fit now: without the last tenth, and without stopping any. */
  fits(need: Capacity): number;
  /** Whether {@link reserve} would find room now, without stopping any. */
  hasCapacity(request: CapacityRequest): boolean;
  /** Whether one of this size fits when nothing else runs. */
  couldFit(need: Capacity): boolean;
}

/** Kept for services that have no instance yet: a busy one must not leave them none. */
const RESERVE_RATIO = 0.1;
/** Longer idle than this, an instance is of more use to who is busy. A cold start costs its service less than a second. */
const LONG_IDLE_MS = 30_000;

interface Waiter {
  readonly request: CapacityRequest;
  readonly wake: () => void;
  readonly refuse: () => void;
}

export function createHost(options: HostOptions): Host {
  const budget: Capacity = options;
  const reserve: Capacity = {
    memoryBytes: budget.memoryBytes * RESERVE_RATIO,
    cpuMillis: budget.cpuMillis * RESERVE_RATIO,
  };
  const starts = createLimiter({ concurrency: options.simultaneousStarts });
  let free: Capacity = { memoryBytes: budget.memoryBytes, cpuMillis: budget.cpuMillis };
  /** Of instances that are being stopped. */
  let leaving = NO_CAPACITY;
  const heldBy = new Map<string, Capacity>();
  /** Instances of each revision. */
  const counts = new Map<string, number>();
  const waiters = new Set<Waiter>();

  const held = (deployment: string) => heldBy.get(deployment) ?? NO_CAPACITY;
  const isFirst = (request: CapacityRequest) => !counts.has(keyOf(request));
  const waiting = () => [...waiters].reduce((sum, { request }) => plus(sum, request), NO_CAPACITY);

  /** H4, of room that is there. */
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

  /** One at a time, for each changes the shares; who is next and does not fit keeps the others from overtaking. */
  const serveWaiters = () => {
    for (;;) {
      const [next] = [...waiters].sort((a, b) => rank(a) - rank(b));
      if (next === undefined || !fitsInto(next.request, free)) return;
      waiters.delete(next);
      next.wake();
    }
  };

  /** H6: refuses those that wait for more than a first instance, newest first, until there will be room for one; false when that is not enough. */
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

  /** Stops idle instances, longest idle first, until there is or will be room; false, and stops none, if that can't be. */
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
    couldFit: (need) => fitsInto(need, budget),
    fits: (need) => timesIn(need, minus(minus(free, reserve), waiting())),
    hasCapacity: (request) => mayTake(request, minus(free, waiting())),
    async acquireStart(signal) {
      const slot = await starts.acquire({ signal });
      const timer = options.clock.setTimer(options.startSlotHoldMs, slot.release);
      return () => {
        timer.cancel();
        slot.release();
      };
    },
    async reserve(request, signal) {
      signal.throwIfAborted();
      if (waiters.size === 0 && mayTake(request, free)) return take(request);
      if (!fitsInto(request, budget) || !(makeRoom(request) || takePlaceOfOthers(request))) {
        throw outOfCapacity(request, budget, free);
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
    `The service needs ${facts}. Delete a service or deploy one with less ${what}; what others need first is kept for them.`,
  );
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}

function cpus(millis: number): string {
  return String(Math.round(millis / 10) / 100);
}
