import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';

/** How often a request that writes an upload changes its mark. */
export const MARK_MS = 5_000;
/** A mark that stays the same for this long belongs to a server that was killed or cut off. */
const GONE_MS = 20_000;
const MAX_WATCHED = 1_000;

/**
 * Creates what recognizes writers that are gone. A writer on any server changes its mark every {@link MARK_MS}; this
 * process measures how long it sees the same mark, so that no clocks of two machines are compared.
 */
export function createWriterWatch(clock: Pick<Clock, 'monotonicMs'>) {
  const seen = new Map<string, { readonly mark: string; readonly sinceMs: number }>();
  return {
    /** Returns true once this process has seen the same mark of an upload for {@link GONE_MS}. */
    isGone(id: string, mark: string): boolean {
      const known = seen.get(id);
      const nowMs = clock.monotonicMs();
      if (known?.mark === mark) return nowMs - known.sinceMs >= GONE_MS;
      seen.delete(id);
      seen.set(id, { mark, sinceMs: nowMs });
      const [oldest = ''] = seen.keys();
      if (seen.size > MAX_WATCHED) seen.delete(oldest);
      return false;
    },
    forget: (id: string): void => void seen.delete(id),
  };
}

/** Returns `conflict`: another request writes or finishes the upload. */
export function isBeingWritten() {
  return createError('conflict', 'Another client is sending this upload. Get its offset and try again.');
}
