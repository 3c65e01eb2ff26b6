/** How many callers a {@link Limiter} has when another one is about to wait; that one isn't counted. */
export interface LimiterCounts {
  /** Callers that wait, of all keys. */
  readonly waiting: number;
  /** Callers that wait, with the same key. */
  readonly waitingOfKey: number;
  /** Callers that hold a slot, with the same key. */
  readonly holdingOfKey: number;
}

export interface LimiterOptions {
  /** Slots, at least 1. `Infinity` where `concurrencyPerKey` is the only bound. */
  readonly concurrency: number;
  /** Slots that callers with the same key may hold, at least 1. Default: no bound. */
  readonly concurrencyPerKey?: number;
  /** Called before a caller waits; an error that it throws refuses the caller. Default: any number may wait. */
  readonly checkWait?: (counts: LimiterCounts) => void;
}

export interface AcquireOptions {
  /** Callers without a key share one. */
  readonly key?: string;
  /** Ends the wait; a slot that was granted already is kept. */
  readonly signal?: AbortSignal;
  /** Called with the number of holders and waiters with the same key that are ahead: when a wait begins, then at each change. */
  readonly onAhead?: (ahead: number) => void;
}

/** A place in a {@link Limiter}. `release` and disposal are the same, and idempotent. */
export interface Slot extends Disposable {
  release(): void;
}

/**
 * A concurrency limiter. Invariants, which the tests cite:
 * L1. At most `concurrency` slots are held, and at most `concurrencyPerKey` of one key.
 * L2. A free slot goes to the caller that has waited longest among those whose key may have one.
 * L3. Nobody waits who may have a slot.
 */
export interface Limiter {
  /** Callers that hold a slot or wait for one. */
  readonly size: number;
  /**
   * Waits for a slot. The caller's place is taken before this returns, the slot is given in a later microtask at the earliest.
   * @throws the signal's reason when it aborts first, and what `checkWait` throws.
   */
  acquire(options?: AcquireOptions): Promise<Slot>;
  /** Runs `task` while it holds a slot. @throws what {@link acquire} and `task` throw. */
  run<Value>(task: () => Value | Promise<Value>, options?: AcquireOptions): Promise<Value>;
}

interface Waiter {
  readonly lane: Lane;
  readonly grant: (slot: Slot) => void;
  readonly onAhead: ((ahead: number) => void) | undefined;
  /** As last reported. */
  ahead: number | undefined;
}

/** The callers of one key. */
interface Lane {
  readonly key: string | undefined;
  readonly waiting: Set<Waiter>;
  holding: number;
}

export function createLimiter({ concurrency, concurrencyPerKey = Infinity, checkWait }: LimiterOptions): Limiter {
  const lanes = new Map<string | undefined, Lane>();
  const waiting = new Set<Waiter>();
  let holding = 0;

  const dropIfEmpty = (lane: Lane) => {
    if (lane.holding === 0 && lane.waiting.size === 0) lanes.delete(lane.key);
  };
  const hasSlot = (lane: Lane) => holding < concurrency && lane.holding < concurrencyPerKey;
  const reportAhead = (lane: Lane) => {
    let ahead = lane.holding;
    for (const waiter of lane.waiting) {
      if (waiter.ahead !== ahead) waiter.onAhead?.(ahead);
      waiter.ahead = ahead++;
    }
  };
  const remove = (waiter: Waiter) => {
    waiting.delete(waiter);
    waiter.lane.waiting.delete(waiter);
  };

  const take = (lane: Lane): Slot => {
    holding++;
    lane.holding++;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      free(lane);
    };
    return { release, [Symbol.dispose]: release };
  };
  const free = (lane: Lane) => {
    // With slots left over, only the key's own bound can have kept callers waiting.
    const candidates = holding === concurrency ? waiting : lane.waiting;
    holding--;
    lane.holding--;
    for (const waiter of candidates) {
      if (!hasSlot(waiter.lane)) continue;
      remove(waiter);
      waiter.grant(take(waiter.lane));
      break;
    }
    reportAhead(lane);
    dropIfEmpty(lane);
  };

  const acquire = async ({ key, signal, onAhead }: AcquireOptions = {}): Promise<Slot> => {
    signal?.throwIfAborted();
    const lane = lanes.get(key) ?? { key, waiting: new Set(), holding: 0 };
    if (!hasSlot(lane)) {
      checkWait?.({ waiting: waiting.size, waitingOfKey: lane.waiting.size, holdingOfKey: lane.holding });
    }
    lanes.set(key, lane);
    if (hasSlot(lane)) return take(lane);
    return await new Promise((resolve, reject) => {
      const onAbort = () => {
        remove(waiter);
        reportAhead(lane);
        dropIfEmpty(lane);
        reject(signal?.reason);
      };
      const grant = (slot: Slot) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(slot);
      };
      const waiter: Waiter = { lane, grant, onAhead, ahead: undefined };
      waiting.add(waiter);
      lane.waiting.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
      reportAhead(lane);
    });
  };

  return {
    get size() {
      return holding + waiting.size;
    },
    acquire,
    async run(task, options) {
      const slot = await acquire(options);
      try {
        return await task();
      } finally {
        slot.release();
      }
    },
  };
}
