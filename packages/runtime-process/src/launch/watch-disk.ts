import { type Clock, type Logger, runInBackground, type Timer } from '@berth/kit';
import { measureDisk } from './measure-disk.ts';

export interface DiskWatch {
  readonly folders: readonly string[];
  /** Of all folders together. */
  readonly limitBytes: number;
  /** Called once. */
  readonly onCrossed: () => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const POLL_MS = 1_000;
/** Measuring takes this part of the time at most, however many files there are. */
const DUTY_RATIO = 0.02;

/** Measures folders again and again; the function that is answered ends it. */
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
