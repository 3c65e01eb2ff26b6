import type { StoredEntry } from '../entry/log-entry.ts';

/** Entries read ahead of a tail's reader. */
const PAGE_ENTRIES = 200;
/**
 * Maximum for a reader that is far behind: a page of Parquet costs the same for many entries as for few. Its bytes are
 * limited too.
 */
const PAGE_ENTRIES_MAX = 4_000;

export interface TailSource {
  /** The timestamp to start after; undefined for the beginning of the log. */
  readonly start: Promise<string | undefined>;
  /** Ends the tail. */
  readonly signal: AbortSignal;
  /** Returns the timestamp of the newest entry; every later entry comes after it. */
  newest(): Promise<string | undefined>;
  /** Returns the oldest matching entries after a timestamp. */
  read(since: string | undefined, limit: number): Promise<readonly StoredEntry[]>;
  /** Calls `listener` whenever there may be new entries, until the returned function is called. */
  watch(listener: () => void): () => void;
}

/**
 * Replays and follows a log by reading on from its own cursor. A slow reader costs one page of memory, and replay and
 * live entries can neither overlap nor leave a gap, because they are read in the same way.
 */
export async function* tailEntries({ start, signal, newest, read, watch }: TailSource): AsyncGenerator<StoredEntry> {
  let woken = Promise.withResolvers<void>();
  const wake = () => woken.resolve();
  const unwatch = watch(wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    let cursor = await start;
    let wanted = PAGE_ENTRIES;
    while (!signal.aborted) {
      const end = await newest();
      const page = await read(cursor, wanted).catch((error: unknown) => {
        if (signal.aborted) return [];
        throw error;
      });
      wanted = Math.min(Math.max(PAGE_ENTRIES, 2 * page.length), PAGE_ENTRIES_MAX);
      for (const entry of page) {
        if (signal.aborted) return;
        cursor = entry.timestamp;
        yield entry;
      }
      if (page.length > 0) continue;
      // Nothing up to `end` matches, so it is not read again.
      if (end !== undefined && (cursor === undefined || end > cursor)) cursor = end;
      await woken.promise;
      woken = Promise.withResolvers();
    }
  } finally {
    unwatch();
    signal.removeEventListener('abort', wake);
  }
}
