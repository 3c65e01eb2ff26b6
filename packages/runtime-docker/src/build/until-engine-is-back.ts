import type { BerthError, Clock } from '@berth/kit';
import type { Engine } from '../engine/open-engine.ts';

export interface UntilEngineIsBackOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Of the build, on the clock's monotonic scale. */
  readonly deadlineMs: number;
  /** What is thrown when it does not come back. */
  readonly cause: BerthError;
}

/** A restart of an engine with its containers takes some ten seconds; one that takes longer was stopped. */
const PATIENCE_MS = 60_000;
const INTERVAL_MS = 500;

/**
 * Resolves when the engine answers again.
 * @throws `cause` when it does not within a minute, or `signal` aborts meanwhile.
 */
export async function untilEngineIsBack({ engine, clock, signal, deadlineMs, cause }: UntilEngineIsBackOptions) {
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
