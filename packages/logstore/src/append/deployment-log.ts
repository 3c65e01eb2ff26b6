import { type Clock, createLimiter, describeError, type Limiter, type Logger } from '@berth/kit';
import type { LogInput } from '../entry/log-entry.ts';
import { createTimestampSequence, type TimestampSequence } from '../entry/timestamp.ts';
import type { FileLogLimits } from '../limits/file-log-limits.ts';
import { encodeBody, encodeLine } from '../lines/record-line.ts';
import type { HeldSegments } from '../ports/segment.ts';
import type { ParquetStore } from '../segments/open-parquet.ts';
import { createLossLedger, diskFailureReason } from './loss-ledger.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** Characters encoded and written at once. */
const SLICE_CHARACTERS = 1_048_576;

/** Time after a failed write before the log reports lost entries, unless there are new entries to write. */
const RETRY_MS = 1_000;

/** Unwritten characters of all logs of a store. */
export interface BufferGauge {
  characters: number;
}

export interface DeploymentLogOptions {
  readonly writer: SegmentWriter;
  /** Runs the writes and removals of this log one after another. */
  readonly queue: Limiter;
  readonly limits: FileLogLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gauge: BufferGauge;
  readonly parquet?: ParquetStore | undefined;
  /** Called when a segment is full and can be compacted. */
  onFull?(): void;
}

/**
 * The log of one deployment: a buffer in memory in front of the segments.
 *
 * Invariants:
 * 1. When `drain` resolves, every entry appended before its call is in the segments, in order, or counted as
 *    lost. A reader that drains first sees every entry on disk.
 * 2. An entry gets its timestamp when it is written; no reader has seen it before.
 * 3. Writes and removals run one after another; syncs run beside them.
 */
export interface DeploymentLog {
  append(entries: readonly LogInput[]): void | Promise<void>;
  /** Writes pending entries. Resolves with the timestamp of the newest entry in the log. @throws the log database's error. */
  newest(): Promise<string | undefined>;
  /**
   * Writes pending entries and makes them durable. Resolves false when entries were, or may have been, lost. Never
   * rejects.
   * @param isRoutine allows to skip the attempt soon after one that failed: no caller depends on the result.
   */
  commit(isRoutine?: boolean): Promise<boolean>;
  /**
   * Writes pending entries and returns the log's segments. Their files stay until disposed of, even when the log
   * replaces them.
   * @param since segments that end at this time or before may be left out.
   * @throws the system's error when the folder can't be read; the catalog's or log database's error.
   */
  hold(since?: string): Promise<HeldSegments>;
  /** Calls `listener` after every append, until the returned function is called. */
  watch(listener: () => void): () => void;
  /** True when there is something to {@link commit}. */
  readonly isDirty: boolean;
  /** True when everything in memory is on disk and there are no watchers. */
  readonly isIdle: boolean;
}

interface Batch {
  readonly bodies: string[];
  readonly timesMs: number[];
  /** Entries dropped before the first of this batch. */
  dropped: number;
}

export function createDeploymentLog(options: DeploymentLogOptions): DeploymentLog {
  const { writer, queue, limits, clock, logger, gauge } = options;
  const syncs = createLimiter({ concurrency: 1 });
  const listeners = new Set<() => void>();
  const losses = createLossLedger();
  let sequence: TimestampSequence | undefined;
  let pending: Batch = { bodies: [], timesMs: [], dropped: 0 };
  let pendingCharacters = 0;
  /** Characters that are pending, or queued but not written. */
  let unwrittenCharacters = 0;
  let hasUnsynced = false;
  /** True when the last sync succeeded. */
  let isConfirmed = true;
  /** Monotonic time of the last failed write; undefined after a successful one. */
  let failedAtMs: number | undefined;

  function append(entries: readonly LogInput[]): void | Promise<void> {
    if (entries.length === 0) return;
    if (unwrittenCharacters >= limits.bufferCharacters || gauge.characters >= limits.totalBufferCharacters) {
      return drop(entries.length);
    }
    const nowMs = clock.nowMs();
    let characters = 0;
    for (const entry of entries) {
      const body = encodeBody(entry);
      pending.bodies.push(body);
      // A timestamp ahead of the clock would push every later one ahead of it too.
      pending.timesMs.push(Math.min(entry.timeMs ?? nowMs, nowMs));
      characters += body.length;
    }
    pendingCharacters += characters;
    unwrittenCharacters += characters;
    gauge.characters += characters;
    notify();
    if (unwrittenCharacters >= limits.backPressureCharacters) return drain().then(() => {});
    if (pendingCharacters >= limits.writeCharacters) void drain();
  }

  function notify(): void {
    for (const listener of listeners) listener();
  }

  function drop(count: number): Promise<void> {
    if (pending.bodies.length > 0) void drain();
    pending.dropped += count;
    return queue.run(async () => {});
  }

  function drain(): Promise<string | undefined> {
    const batch = pending;
    pending = { bodies: [], timesMs: [], dropped: 0 };
    pendingCharacters = 0;
    return queue.run(async () => {
      if (batch.dropped > 0) losses.add(batch.dropped, 'they arrived faster than the disk can write them');
      if (batch.bodies.length > 0 || isLossToTell()) await writeBatch(batch);
      return writer.lastTimestamp;
    });
  }

  /** True when losses are to be reported and the disk has had time to recover. */
  function isLossToTell(): boolean {
    if (losses.count === 0) return false;
    return failedAtMs === undefined || clock.monotonicMs() - failedAtMs >= RETRY_MS;
  }

  async function writeBatch(batch: Batch): Promise<void> {
    let index = 0;
    try {
      await writer.load();
      sequence ??= createTimestampSequence(writer.lastTimestamp);
      do index = await writeSlice(sequence, batch, index);
      while (index < batch.bodies.length);
      if (failedAtMs !== undefined) logger.info({}, 'the log can be written again');
      failedAtMs = undefined;
    } catch (error) {
      const lost = batch.bodies.length - index;
      losses.add(lost, diskFailureReason(error));
      release(batch.bodies, index, batch.bodies.length);
      if (failedAtMs === undefined) {
        logger.warn({ error: describeError(error), lost }, 'log entries could not be written');
      }
      failedAtMs = clock.monotonicMs();
    }
  }

  /**
   * Writes about {@link SLICE_CHARACTERS} of a batch from index `from` on, after a report of earlier losses. Returns
   * the index where it stopped. The report shares one write with entries, so that a nearly full disk is not filled with
   * reports.
   */
  async function writeSlice(times: TimestampSequence, { bodies, timesMs }: Batch, from: number): Promise<number> {
    const lines: string[] = [];
    let first: string | undefined;
    let characters = 0;
    const add = (timeMs: number, body: string) => {
      const timestamp = times.next(timeMs);
      first ??= timestamp;
      const line = encodeLine(timestamp, body);
      lines.push(line);
      characters += line.length;
    };
    const told = losses.count;
    const message = losses.describe();
    if (message !== undefined) add(clock.nowMs(), encodeBody({ logName: 'system', severity: 'ERROR', message }));
    let index = from;
    for (; index < bodies.length && characters < SLICE_CHARACTERS; index++) {
      add(timesMs[index] ?? 0, bodies[index] ?? '');
    }
    await writeLines(lines, first ?? '', times.last ?? '');
    losses.settle(told);
    release(bodies, from, index);
    if (told > 0) notify();
    return index;
  }

  async function writeLines(lines: readonly string[], first: string, last: string): Promise<void> {
    const segmentCount = writer.segments.length;
    await writer.write(Buffer.from(lines.join('')), first, last);
    hasUnsynced = true;
    if (writer.segments.length === segmentCount) return;
    if (segmentCount > 0) options.onFull?.();
    // The entries are written: a failure to remove old segments must not count them as lost.
    await writer
      .trim(clock.nowMs())
      .catch((error: unknown) => logger.warn({ error: describeError(error) }, 'old log segments could not be removed'));
  }

  function release(bodies: readonly string[], from: number, to: number): void {
    let characters = 0;
    for (let index = from; index < to; index++) characters += bodies[index]?.length ?? 0;
    unwrittenCharacters -= characters;
    gauge.characters -= characters;
  }

  async function sync(): Promise<void> {
    if (!hasUnsynced) return;
    hasUnsynced = false;
    try {
      await writer.sync();
      isConfirmed = true;
    } catch (error) {
      isConfirmed = false;
      logger.error({ error: describeError(error) }, 'the disk did not confirm log entries; a crash can lose them');
    }
  }

  return {
    append,
    newest: drain,
    async commit() {
      await drain();
      // In a queue: a commit with nothing left to do must wait for the one that is syncing.
      await syncs.run(sync);
      return isConfirmed && losses.count === 0;
    },
    async hold() {
      await queue.run(() => writer.load());
      await drain();
      // Nothing may happen between the list and the hold, so neither awaits.
      const segments = writer.segments.map((segment) => ({ ...segment }));
      const holds = new DisposableStack();
      holds.defer(writer.holdLines(segments.filter((segment) => segment.kind === 'lines')));
      const own = segments.filter((segment) => segment.kind === 'parquet');
      if (options.parquet) holds.defer(options.parquet.storage.pin(writer.place, own));
      return { segments, [Symbol.dispose]: () => holds.dispose() };
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    get isDirty() {
      return pending.bodies.length > 0 || pending.dropped > 0 || hasUnsynced || losses.count > 0;
    },
    get isIdle() {
      return !this.isDirty && queue.size === 0 && syncs.size === 0 && listeners.size === 0;
    },
  };
}
