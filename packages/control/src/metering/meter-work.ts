import type { Clock } from '@berth/kit';

/** How much running work a crash may leave unmetered. */
const STEP_MS = 5_000;

/** Runs `work` and reports the seconds it ran, every few seconds and at its end. */
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
