import type { StoredEntry } from './log-store.ts';
import { createWakeLatch } from './wake-latch.ts';

/** Entries read ahead of a tail's reader. */
const PAGE_ENTRIES = 200;
/** Of one that is far behind: a page of columns costs the same for many entries as for few. Its bytes are bounded besides. */
const PAGE_ENTRIES_MAX = 4_000;

export interface TailSource {
  /** The timestamp to start after; undefined for the log's beginning. */
  readonly start: Promise<string | undefined>;
  /** Ends the tail. */
  readonly signal: AbortSignal;
  /** The oldest entries after a timestamp. */
  read(since: string | undefined, limit: number): Promise<readonly StoredEntry[]>;
  /** Tells the entries that are wanted. */
  fits(entry: StoredEntry): boolean;
  /** Calls back whenever entries may have come, until the returned function is called. */
  watch(listener: () => void): () => void;
}

/**
 * Replays and follows a log by reading it on from its own cursor: nothing is kept for a slow reader but one page, and
 * replay and live can neither overlap nor leave a gap, because they are the same.
 */
export async function* tailEntries({ start, signal, read, fits, watch }: TailSource): AsyncGenerator<StoredEntry> {
  const latch = createWakeLatch();
  const unwatch = watch(latch.raise);
  signal.addEventListener('abort', latch.raise, { once: true });
  try {
    let cursor = await start;
    let wanted = PAGE_ENTRIES;
    while (!signal.aborted) {
      const page = await read(cursor, wanted);
      wanted = page.length < wanted ? PAGE_ENTRIES : Math.min(2 * wanted, PAGE_ENTRIES_MAX);
      for (const entry of page) {
        if (signal.aborted) return;
        cursor = entry.timestamp;
        if (fits(entry)) yield entry;
      }
      if (page.length === 0) await latch.wait();
    }
  } finally {
    unwatch();
    signal.removeEventListener('abort', latch.raise);
  }
}
