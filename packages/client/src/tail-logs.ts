import type { LogEntry, LogsRequest, LogsResponse } from '@berth/contract';
import { BerthError, backoffMs, type Clock } from '@berth/kit';

/** The contract promises an entry within 250 ms of its writing; a quiet service is asked once a second. */
const QUICK_MS = 250;
const SLOW_MS = 1_000;

/** The most entries of one answer. Source: spec section 2.2. */
const PAGE_ENTRIES = 1_000;

export interface TailOptions {
  /** Only entries after this time or cursor; without it the newest `limit` come first. */
  readonly since?: string | undefined;
  /** Entries to begin with where there is no `since`, 1–1000. Default 100. */
  readonly limit?: number | undefined;
  readonly query?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called once when the server stops answering; the tail goes on asking. */
  readonly onLost?: ((error: BerthError) => void) | undefined;
  /** Called when it answers again. */
  readonly onFound?: (() => void) | undefined;
}

/**
 * The log of a deployment as it is written: each entry once, in order, without end. It outlives restarts of the
 * server, because it asks by cursor.
 * @throws what is not a matter of waiting: `not_found`, `forbidden`, `invalid`…; the signal's reason.
 */
export async function* tailLogs(
  fetchLogs: (request: LogsRequest) => Promise<LogsResponse>,
  clock: Clock,
  name: string,
  options: TailOptions = {},
): AsyncGenerator<LogEntry> {
  const { signal, query } = options;
  let cursor = options.since;
  let limit = options.limit ?? 100;
  let failures = 0;
  let waitMs = QUICK_MS;
  for (;;) {
    const since = cursor;
    const page = await fetchLogs({
      deployment_name: name,
      limit: since === undefined ? limit : PAGE_ENTRIES,
      ...(since === undefined ? {} : { since }),
      ...(query === undefined ? {} : { query }),
    }).catch((error: unknown) => {
      if (signal?.aborted || !BerthError.is(error) || !error.isRetryable) throw error;
      if (failures++ === 0) options.onLost?.(error);
      return undefined;
    });
    if (!page) {
      await clock.sleep(backoffMs(failures - 1, { baseMs: QUICK_MS, maxMs: 5_000 }), signal);
      continue;
    }
    if (failures > 0) options.onFound?.();
    failures = 0;
    yield* page.logs;
    cursor = page.cursor ?? cursor;
    // Nothing was there to begin with: now everything that comes is new.
    limit = PAGE_ENTRIES;
    if (page.logs.length === PAGE_ENTRIES && since !== undefined) continue;
    waitMs = page.logs.length > 0 ? QUICK_MS : Math.min(SLOW_MS, waitMs * 1.5);
    await clock.sleep(waitMs, signal);
  }
}
