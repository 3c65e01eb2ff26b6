import { createLimiter } from '@berth/kit';

/** Runs changes of one deployment's route in this process one after another. */
export interface RouteLocks {
  run<Value>(deployment: string, change: () => Promise<Value>): Promise<Value>;
}

export function createRouteLocks(): RouteLocks {
  const limiter = createLimiter({ concurrency: Number.POSITIVE_INFINITY, concurrencyPerKey: 1 });
  return { run: (deployment, change) => limiter.run(change, { key: deployment }) };
}
