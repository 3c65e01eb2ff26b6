import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';

/** An idle instance that another service may take the memory of. */
export interface Reclaimable {
  readonly memoryBytes: number;
  readonly idleSinceMs: number;
  /** Stops it; its memory comes back through {@link Reservation.release}. */
  stop(): void;
}

/** Memory set aside for one instance. */
export interface Reservation {
  /** Gives it back. Idempotent. */
  release(): void;
  /** It will be released soon (the instance is being stopped), so nobody else need be stopped for it. Idempotent. */
  releaseSoon(): void;
}

/** What the machine has for instances. */
export interface HostOptions {
  readonly clock: Clock;
  readonly memoryBytes: number;
  /** Instances that may be starting at once. */
  readonly simultaneousStarts: number;
  readonly startSlotHoldMs: number;
  /** Instances that may be stopped to make room. */
  readonly reclaimable: (forDeployment: string) => Iterable<Reclaimable>;
  /** Memory came free, and nobody waited for it. */
  readonly onRoom: () => void;
}

/**
 * The machine's room for instances, shared by all services.
 * H1: the memory of all reservations never passes the budget. H2: nothing is stopped for a request that would not fit
 * even so. H3: waiting reservations are served in their order.
 */
export interface Host {
  /**
   * Sets memory aside; waits only for instances that are being stopped.
   * @throws BerthError `out_of_capacity` when idle instances of others would not make enough room.
   * @throws the signal's reason when it aborts.
   */
  reserve(deployment: string, memoryBytes: number, signal: AbortSignal): Promise<Reservation>;
  /**
   * Waits for a turn to start; the answer ends the turn, idempotently.
   * @throws the signal's reason when it aborts.
   */
  startTurn(signal: AbortSignal): Promise<() => void>;
  /** How many more instances of this size fit now, without stopping any. */
  fits(memoryBytes: number): number;
  /** Whether one of this size fits when nothing else runs. */
  couldFit(memoryBytes: number): boolean;
}

interface Waiter {
  readonly memoryBytes: number;
  readonly wake: () => void;
}

export function createHost(options: HostOptions): Host {
  let freeBytes = options.memoryBytes;
  /** Bytes of instances that are being stopped. */
  let leavingBytes = 0;
  let starting = 0;
  const memoryWaiters = new Set<Waiter>();
  const turnWaiters = new Set<() => void>();

  const waitingBytes = () => {
    let sum = 0;
    for (const waiter of memoryWaiters) sum += waiter.memoryBytes;
    return sum;
  };

  const take = (memoryBytes: number): Reservation => {
    freeBytes -= memoryBytes;
    let state: 'held' | 'leaving' | 'released' = 'held';
    return {
      releaseSoon() {
        if (state !== 'held') return;
        state = 'leaving';
        leavingBytes += memoryBytes;
      },
      release() {
        if (state === 'released') return;
        if (state === 'leaving') leavingBytes -= memoryBytes;
        state = 'released';
        freeBytes += memoryBytes;
        serveMemoryWaiters();
        if (memoryWaiters.size === 0) options.onRoom();
      },
    };
  };

  const serveMemoryWaiters = () => {
    for (const waiter of memoryWaiters) {
      if (waiter.memoryBytes > freeBytes) return;
      memoryWaiters.delete(waiter);
      waiter.wake();
    }
  };

  /** Stops idle instances, longest idle first, until `neededBytes` are or will be free; false, and stops none, if that can't be. */
  const makeRoom = (deployment: string, neededBytes: number): boolean => {
    let missing = neededBytes - freeBytes - leavingBytes;
    if (missing <= 0) return true;
    const idle = [...options.reclaimable(deployment)].sort((a, b) => a.idleSinceMs - b.idleSinceMs);
    const victims: Reclaimable[] = [];
    for (const instance of idle) {
      if (missing <= 0) break;
      victims.push(instance);
      missing -= instance.memoryBytes;
    }
    if (missing > 0) return false;
    for (const victim of victims) victim.stop();
    return true;
  };

  return {
    couldFit: (memoryBytes) => memoryBytes <= options.memoryBytes,
    fits: (memoryBytes) => Math.max(0, Math.floor((freeBytes - waitingBytes()) / memoryBytes)),
    async reserve(deployment, memoryBytes, signal) {
      signal.throwIfAborted();
      if (memoryWaiters.size === 0 && memoryBytes <= freeBytes) return take(memoryBytes);
      if (memoryBytes > options.memoryBytes || !makeRoom(deployment, waitingBytes() + memoryBytes)) {
        throw createError(
          'out_of_capacity',
          `The service needs ${mebibytes(memoryBytes)} of memory; of the ${mebibytes(options.memoryBytes)} for instances ${mebibytes(freeBytes)} are free. Delete a service or deploy one with less memory.`,
        );
      }
      if (memoryWaiters.size === 0 && memoryBytes <= freeBytes) return take(memoryBytes);
      return await new Promise((resolve, reject) => {
        const waiter: Waiter = {
          memoryBytes,
          wake() {
            signal.removeEventListener('abort', onAbort);
            resolve(take(memoryBytes));
          },
        };
        const onAbort = () => {
          memoryWaiters.delete(waiter);
          reject(signal.reason);
          serveMemoryWaiters();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        memoryWaiters.add(waiter);
      });
    },
    async startTurn(signal) {
      signal.throwIfAborted();
      if (starting >= options.simultaneousStarts) {
        await new Promise<void>((resolve, reject) => {
          const wake = () => {
            signal.removeEventListener('abort', onAbort);
            resolve();
          };
          const onAbort = () => {
            if (turnWaiters.delete(wake)) reject(signal.reason);
          };
          signal.addEventListener('abort', onAbort, { once: true });
          turnWaiters.add(wake);
        });
      } else {
        starting++;
      }
      let isOver = false;
      const end = () => {
        if (isOver) return;
        isOver = true;
        timer.cancel();
        // The turn is handed on, not given back and taken again: that keeps the order.
        const [next] = turnWaiters;
        if (next === undefined) {
          starting--;
        } else {
          turnWaiters.delete(next);
          next();
        }
      };
      const timer = options.clock.setTimer(options.startSlotHoldMs, end);
      return end;
    },
  };
}

function mebibytes(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}
