import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';
import { measureDisk } from './measure-disk.ts';

/** Options of {@link watchDisk}. */
export interface DiskWatch {
  readonly folders: readonly string[];
  /** Maximum size of all folders together. */
  readonly limitBytes: number;
  /** Called once. */
  readonly onCrossed: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const POLL_MS = 1_000;
/** Maximum share of the time spent measuring, however many files there are. */
const DUTY_RATIO = 0.02;

/** Measures folders once a second (less often when measuring is slow), and calls `onCrossed` above the limit. Returns a function that stops it. */
export function watchDisk({ folders, limitBytes, onCrossed, clock, logger }: DiskWatch): () => void {
  let isOver = false;
  let timer: Timer | undefined;
  const look = async (): Promise<void> => {
    const begun = clock.monotonicMs();
    let bytes = 0;
    for (const folder of folders) bytes += await measureDisk(folder, limitBytes - bytes);
    if (isOver) return;
    if (bytes > limitBytes) {
      isOver = true;
      onCrossed();
      return;
    }
    plan(Math.max(POLL_MS, (clock.monotonicMs() - begun) / DUTY_RATIO));
  };
  const plan = (delayMs: number): void => {
    timer = clock.setTimer(delayMs, () => runInBackground('measure the disk of a program', look(), logger));
  };
  plan(POLL_MS);
  return () => {
    isOver = true;
    timer?.cancel();
  };
}
