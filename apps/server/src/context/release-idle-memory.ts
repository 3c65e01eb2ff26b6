import type { Clock } from '@berth/kit';

/** The parts of this process that {@link releaseIdleMemory} uses. */
export interface IdleProcess {
  /** CPU time of the process so far, in microseconds, as `process.cpuUsage()` says. */
  cpuUsage(): NodeJS.CpuUsage;
  /** Memory that the JavaScript heap holds, used or not. */
  heapBytes(): number;
  /** Collects all garbage and gives free pages back. Blocks the thread, for about 130 ms with a heap of 40 MB. */
  collect(): void;
}

/** How often the process is looked at. */
const LOOK_MS = 5_000;
/** A process is idle when it used less of a core than this since the last look. */
const IDLE_RATIO = 0.02;
/** How much a heap has to grow before it is worth the pause of another collection. */
const GROWTH_BYTES = 16 * 1024 * 1024;

/**
 * Gives the memory that a start or a busy hour left behind back to the system, once the process is idle. V8 keeps the pages of its
 * young generation for a next burst that may never come: 40 MB of a platform at rest (`npm run bench -- at-rest`). Looks every 5 s;
 * collects when the process used less than 2 % of a core since the last look and its heap has grown by 16 MB since it was last
 * collected.
 */
export function releaseIdleMemory(clock: Clock, process = thisProcess()): void {
  if (process === undefined) return;
  let lastHeapBytes = 0;
  let lastCpu = process.cpuUsage();
  let lastMs = clock.monotonicMs();
  const look = (): void => {
    const cpu = process.cpuUsage();
    const nowMs = clock.monotonicMs();
    const usedMs = (cpu.user + cpu.system - lastCpu.user - lastCpu.system) / 1_000;
    if (usedMs < (nowMs - lastMs) * IDLE_RATIO && process.heapBytes() > lastHeapBytes + GROWTH_BYTES) {
      process.collect();
      lastHeapBytes = process.heapBytes();
    }
    lastCpu = process.cpuUsage();
    lastMs = clock.monotonicMs();
    clock.setTimer(LOOK_MS, look);
  };
  clock.setTimer(LOOK_MS, look);
}

/** This process; undefined when it was started without `--expose-gc`, which `npm start` sets. */
function thisProcess(): IdleProcess | undefined {
  const { gc } = globalThis;
  if (gc === undefined) return undefined;
  return {
    cpuUsage: () => process.cpuUsage(),
    heapBytes: () => process.memoryUsage().heapTotal,
    collect: () => gc({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
  };
}
