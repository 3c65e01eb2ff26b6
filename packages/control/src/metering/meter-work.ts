import type { Clock } from '@berth/kit';

/** How much of work that runs on a crash may leave unmetered. */
const STEP_MS = 5_000;

/** Runs `work` and tells, every few seconds and at its end, for how many seconds more it ran. */
export async function meterWork<Result>(
  clock: Clock,
  onSeconds: (seconds: number) => void,
  work: () => Promise<Result>,
): Promise<Result> {
  let toldMs = clock.monotonicMs();
  const tell = () => {
    const nowMs = clock.monotonicMs();
    onSeconds((nowMs - toldMs) / 1_000);
    toldMs = nowMs;
  };
  const tick = () => {
    tell();
    timer = clock.setTimer(STEP_MS, tick);
  };
  let timer = clock.setTimer(STEP_MS, tick);
  try {
    return await work();
  } finally {
    timer.cancel();
    tell();
  }
}
