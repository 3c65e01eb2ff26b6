import type { Clock, Timer } from '@berth/kit';
import { PAGE_BYTES, readProcesses } from '@berth/runtime/drivers';
import { readIfThere } from '@berth/runtime/files';
import type { Launched } from './launch-spec.ts';

/** The limits that the kernel doesn't enforce on this machine. Undefined: the kernel does. */
export interface WatchedLimits {
  readonly memoryBytes: number | undefined;
  readonly processes: number | undefined;
}

const POLL_MS = 500;

/**
 * Enforces limits by polling, so a program may exceed one for half a second. Calls `onCrossed` and then kills the program. Stops when the
 * program has ended.
 */
export function watchLimits(
  launched: Pick<Launched, 'pids' | 'kill' | 'killForMemory' | 'ended'>,
  limits: WatchedLimits,
  onCrossed: (what: 'memory' | 'processes') => void,
  clock: Clock,
): void {
  if (limits.memoryBytes === undefined && limits.processes === undefined) return;
  let timer: Timer | undefined;
  const look = (): void => {
    const pids = new Set(launched.pids());
    const tasks = readProcesses().reduce((sum, info) => (pids.has(info.pid) ? sum + info.threads : sum), 0);
    if (limits.processes !== undefined && tasks > limits.processes) {
      onCrossed('processes');
      launched.kill();
    } else if (limits.memoryBytes !== undefined && sumPrivateBytes(pids) > limits.memoryBytes) {
      onCrossed('memory');
      launched.killForMemory();
    }
    timer = clock.setTimer(POLL_MS, look);
  };
  timer = clock.setTimer(POLL_MS, look);
  void launched.ended.then(() => timer?.cancel());
}

/** Returns the resident memory without shared pages (files, libraries), which would count once for each process. */
export function sumPrivateBytes(pids: Iterable<number>): number {
  let bytes = 0;
  for (const pid of pids) {
    // The file of a process that has ended is empty.
    const [, resident = 0, shared = 0] = readIfThere(`/proc/${pid}/statm`).split(' ').map(Number);
    bytes += Math.max(0, resident - shared) * PAGE_BYTES;
  }
  return bytes;
}
