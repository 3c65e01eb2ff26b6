import type { Severity } from '@berth/contract';
import {
  createFieldTally,
  createPredicate,
  createTimestampSequence,
  type LogScope,
  type LogStore,
  normalizeTimestamp,
  type SpanOptions,
  type StoredEntry,
  type TimestampSequence,
} from '@berth/logstore';

/** An in-memory log store that passes the port's contract suite. */
export interface FakeLogStore extends LogStore {
  /** Everything that was appended, in order. */
  entries(scope: LogScope): readonly StoredEntry[];
}

interface FakeLog {
  readonly entries: StoredEntry[];
  readonly times: TimestampSequence;
}

/** @param nowMs wall time of entries without a time. */
export function createFakeLogStore(nowMs: () => number): FakeLogStore {
  const logs = new Map<string, FakeLog>();
  const closing = new AbortController();
  /** Wakes the tails. */
  const changes = new EventTarget();
  let count = 0;

  function logOf({ account, deployment }: LogScope): FakeLog {
    const key = JSON.stringify([account, deployment]);
    const log = logs.get(key) ?? { entries: [], times: createTimestampSequence() };
    logs.set(key, log);
    return log;
  }

  async function* follow(
    log: FakeLog,
    start: string,
    fits: (entry: StoredEntry) => boolean,
    signal: AbortSignal,
  ): AsyncGenerator<StoredEntry> {
    for (let index = 0; !signal.aborted; ) {
      const entry = log.entries[index];
      if (!entry) {
        await changed(changes, signal);
        continue;
      }
      index++;
      if (entry.timestamp > start && fits(entry)) yield entry;
    }
  }

  function within(scope: LogScope, { fromMs, untilMs, filter }: SpanOptions): StoredEntry[] {
    const timeMs = ({ timestamp }: StoredEntry) => Date.parse(timestamp);
    return logOf(scope)
      .entries.filter(createPredicate(filter, scope))
      .filter((entry) => timeMs(entry) >= fromMs && timeMs(entry) < untilMs);
  }

  return {
    entries: (scope) => logOf(scope).entries,
    append(scope, inputs) {
      if (closing.signal.aborted) return;
      const { entries, times } = logOf(scope);
      for (const { timeMs, ...input } of inputs) {
        const timestamp = times.next(Math.min(timeMs ?? nowMs(), nowMs()));
        entries.push({ ...input, timestamp, insertId: String(++count) });
      }
      changes.dispatchEvent(new Event('change'));
    },
    async read(scope, { since, limit, filter, signal }) {
      signal?.throwIfAborted();
      const entries = logOf(scope).entries.filter(createPredicate(filter, scope));
      if (since === undefined) return entries.slice(-limit);
      const start = normalizeTimestamp(since);
      return entries.filter((entry) => entry.timestamp > start).slice(0, limit);
    },
    tail(scope, { since, filter, signal }) {
      const log = logOf(scope);
      const start = since === undefined ? (log.times.last ?? '') : normalizeTimestamp(since);
      return follow(log, start, createPredicate(filter, scope), AbortSignal.any([signal, closing.signal]));
    },
    async count(scope, options) {
      const { fromMs, untilMs } = options;
      const buckets: Partial<Record<Severity, number>>[] = Array.from({ length: options.buckets }, () => ({}));
      for (const { timestamp, severity } of within(scope, options)) {
        const at = Math.floor((Date.parse(timestamp) - fromMs) / ((untilMs - fromMs) / buckets.length));
        const counts = buckets[Math.min(at, buckets.length - 1)] ?? {};
        counts[severity] = (counts[severity] ?? 0) + 1;
      }
      return { buckets };
    },
    async survey(scope, options) {
      const tally = createFieldTally();
      for (const entry of within(scope, options)) tally.add(entry);
      return tally.result(false);
    },
    flush: async () => {},
    close: async () => closing.abort(),
  };
}

function changed(changes: EventTarget, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      changes.removeEventListener('change', wake);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    changes.addEventListener('change', wake);
    signal.addEventListener('abort', wake);
  });
}
