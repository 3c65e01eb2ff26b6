/** The callers of a {@link Limiter} at the moment another caller is about to wait. That caller isn't counted. */
export interface LimiterCounts {
  /** Waiting callers of all keys. */
  readonly waiting: number;
  /** Waiting callers with the same key. */
  readonly waitingOfKey: number;
  /** Callers with the same key that hold a slot. */
  readonly holdingOfKey: number;
}

/** Options of {@link createLimiter}. */
export interface LimiterOptions {
  /** Number of slots, at least 1. `Infinity` if `concurrencyPerKey` is the only bound. */
  readonly concurrency: number;
  /** Slots that callers with the same key may hold, at least 1. Default: no bound. */
  readonly concurrencyPerKey?: number;
  /**
   * Called before a caller starts to wait. Throwing an error rejects the caller. Default: no limit on waiting callers.
   */
  readonly checkWait?: (counts: LimiterCounts) => void;
}

/** Options of {@link Limiter.acquire}. */
export interface AcquireOptions {
  /** Callers without a key share one key. */
  readonly key?: string;
  /** Cancels the wait. A slot that was already granted is kept. */
  readonly signal?: AbortSignal;
  /**
   * Called with the number of callers with the same key that are ahead, both holding and waiting: when the wait begins,
   * and whenever the number changes.
   */
  readonly onAhead?: (ahead: number) => void;
}

/** A slot of a {@link Limiter}. `release` and disposal do the same and are idempotent. */
export interface Slot extends Disposable {
  release(): void;
}

/**
 * A concurrency limiter. Invariants, which the tests cite:
 * L1. At most `concurrency` slots are held, and at most `concurrencyPerKey` of one key.
 * L2. A free slot goes to the caller that has waited longest among those whose key may take one.
 * L3. No caller waits while it may take a slot.
 */
export interface Limiter {
  /** Number of callers that hold a slot or wait for one. */
  readonly size: number;
  /**
   * Waits for a slot. The caller joins the queue before this method returns; the slot is granted in a later microtask
   * at the earliest.
   * @throws the signal's reason if it aborts first, and any error that `checkWait` throws.
   */
  acquire(options?: AcquireOptions): Promise<Slot>;
  /** Runs `task` while holding a slot. @throws any error of {@link acquire} and `task`. */
  run<Value>(task: () => Value | Promise<Value>, options?: AcquireOptions): Promise<Value>;
}

interface Waiter {
  readonly lane: Lane;
  readonly grant: (slot: Slot) => void;
  readonly onAhead: ((ahead: number) => void) | undefined;
  /** The value last passed to `onAhead`. */
  ahead: number | undefined;
}

/** The callers of one key. */
interface Lane {
  readonly key: string | undefined;
  readonly waiting: Set<Waiter>;
  holding: number;
}

/** Creates a limiter with all slots free. */
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
    // While slots are free, only the bound of the key can keep callers waiting.
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
