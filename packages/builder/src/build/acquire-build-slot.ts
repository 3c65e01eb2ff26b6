import { createError } from '@berth/contract';
import type { Limiter, Slot } from '@berth/kit';
import type { BuildRequest } from '../port/builder.ts';

/**
 * Waits until a build may run. The build's log says once how many builds are ahead (running ones included), when there are any.
 * @throws BerthError `cancelled` when `signal` aborts meanwhile, and what `onLine` throws.
 */
export async function acquireBuildSlot(
  builds: Limiter,
  signal: AbortSignal,
  onLine: BuildRequest['onLine'],
): Promise<Slot> {
  if (signal.aborted) throw createError('cancelled', 'The build was cancelled.');
  const stop = new AbortController();
  let report: Promise<void> | undefined;
  const onAhead = (ahead: number) => {
    report ??= (async () => onLine(`Waiting for ${ahead} other ${ahead === 1 ? 'build' : 'builds'}`, false))();
    report.catch((error: unknown) => stop.abort(error));
  };
  let slot: Slot;
  try {
    slot = await builds.acquire({ signal: AbortSignal.any([signal, stop.signal]), onAhead });
  } catch (error) {
    if (stop.signal.aborted) throw error;
    throw createError('cancelled', 'The build was cancelled while it waited.', { cause: error });
  }
  try {
    await report;
    return slot;
  } catch (error) {
    slot.release();
    throw error;
  }
}
