import type { LogEntry, LogsRequest, LogsResponse } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { BerthError, type Clock } from '@berth/kit';
import { createPatience, type WaitOptions } from '../streams/patience.ts';
import { type ByteStream, readChunks } from '../streams/read-chunks.ts';
import { readServerSentEvents } from '../streams/read-server-sent-events.ts';

/** Three of the 15 s keep-alives of a tail missed in a row. */
const SILENCE_MS = 45_000;

/** A stream that lasted this long was a good one: the next failure is a new one. */
const GOOD_STREAM_MS = 5_000;

/** Before every entry: where a deployment that has not logged yet is followed from. */
const BEGINNING = '1970-01-01T00:00:00Z';

export interface TailOptions extends WaitOptions {
  /** Only entries after this time or cursor; without it the newest `limit` come first. */
  readonly since?: string | undefined;
  /** Entries to begin with where there is no `since`, 1–1000. Default 100. */
  readonly limit?: number | undefined;
  readonly query?: string | undefined;
  /** Default: false. */
  readonly withInstance?: boolean;
}

/** Parameters of a tail. */
export interface TailSource {
  readonly baseUrl: string;
  readonly clock: Clock;
  fetch(request: LogsRequest): Promise<LogsResponse>;
  /** Opens the server-sent events after a cursor. */
  open(since: string): Promise<ByteStream>;
}

/**
 * The log of a deployment as it is written: each entry once, in order, without end. It outlives restarts of the
 * server, because it takes up every stream at the cursor of the last entry.
 * @throws what is not a matter of waiting: `not_found`, `forbidden`, `invalid`…; the signal's reason.
 */
export async function* tailLogs(source: TailSource, name: string, options: TailOptions = {}): AsyncGenerator<LogEntry> {
  const { clock } = source;
  const { signal, query, withInstance } = options;
  const patience = createPatience(source, options);
  let cursor = options.since ?? '';
  if (cursor === '') {
    const request = {
      ...{ deployment_name: name, limit: options.limit ?? 100 },
      ...(query !== undefined && { query }),
      ...(withInstance && { with_instance: true }),
    };
    const page = await patience.until(() => source.fetch(request));
    yield* page.logs;
    cursor = page.cursor ?? BEGINNING;
  }
  for (;;) {
    const since = cursor;
    const stream = await patience.until(() => source.open(since));
    const openedAtMs = clock.monotonicMs();
    try {
      for await (const event of readServerSentEvents(readChunks(stream, { clock, idleMs: SILENCE_MS, signal }))) {
        patience.reset();
        cursor = event.id;
        yield readEntry(event.data);
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      // A stream that broke is taken up again without a word; a server that does not answer then is lost.
      if (BerthError.is(error)) throw error;
    }
    if (clock.monotonicMs() - openedAtMs > GOOD_STREAM_MS) patience.reset();
    await patience.pause();
  }
}

function readEntry(json: string): LogEntry {
  try {
    return JSON.parse(json) as LogEntry;
  } catch (error) {
    throw createError('internal', 'The server sent a log entry that is not JSON.', { cause: error });
  }
}
