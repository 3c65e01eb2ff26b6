import type { BerthError } from '@berth/kit';
import type { EngineContext } from '../engine/open-engine.ts';

/** Maximum wait. A restart of an engine with its containers takes some ten seconds. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 500;

/**
 * Waits until the engine responds again.
 * @param deadlineMs Deadline of the build, on the clock's monotonic scale.
 * @throws `cause` after a minute, at the deadline, or when `signal` is aborted.
 */
export async function untilEngineIsBack(
  { engine, clock }: Pick<EngineContext, 'engine' | 'clock'>,
  signal: AbortSignal,
  deadlineMs: number,
  cause: BerthError,
): Promise<void> {
  const endMs = Math.min(deadlineMs, clock.monotonicMs() + PATIENCE_MS);
  while (clock.monotonicMs() < endMs && !signal.aborted) {
    const isBack = await engine.docker.ping().then(
      () => true,
      () => false,
    );
    if (isBack) return;
    await clock.sleep(INTERVAL_MS, signal).catch(() => {});
  }
  throw cause;
}
