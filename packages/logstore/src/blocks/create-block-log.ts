import { SEVERITIES, type Severity } from '@berth/contract';
import { type Clock, createLimiter, describeError, type Logger } from '@berth/kit';
import type { BufferGauge, DeploymentLog } from '../append/deployment-log.ts';
import { createLossLedger } from '../append/loss-ledger.ts';
import type { LogInput } from '../entry/log-entry.ts';
import type { BlockLogLimits } from '../limits/block-log-limits.ts';
import { encodeBody } from '../lines/record-line.ts';
import type { BlockTable, LogHead } from '../ports/block-table.ts';
import { compareSegments, type LogPlace } from '../ports/segment.ts';
import type { SegmentStorage } from '../segments/segment-storage.ts';
import { type BlockLines, segmentsOfBlocks } from './create-block-lines.ts';
import { type EncodedBlock, encodeBlock } from './encode-block.ts';

/** Time after a failed append before routine commits try again. */
const RETRY_MS = 500;

export interface BlockLogOptions {
  readonly place: LogPlace;
  /** Unique over all processes that ever append. */
  readonly writer: string;
  readonly table: BlockTable;
  readonly lines: BlockLines;
  readonly storage: Pick<SegmentStorage, 'pin'>;
  readonly limits: BlockLogLimits;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly gauge: BufferGauge;
  /** Called after a block was appended. */
  onAppended(head: LogHead): void;
}

/** A {@link DeploymentLog} of blocks. */
export interface BlockLog extends DeploymentLog {
  /** Wakes the watchers: another server appended entries. */
  wake(): void;
}

interface Batch {
  readonly bodies: string[];
  readonly timesMs: number[];
  severities: number;
  characters: number;
  /** Entries dropped before the first of this batch, and why. */
  dropped: number;
  reason: string;
  /** Set before the first attempt to append it: a later attempt appends the same entries, or nothing. */
  sequence?: number;
  /** Losses that its first entry reports. */
  told: number;
}

const createBatch = (): Batch => ({
  bodies: [],
  timesMs: [],
  severities: 0,
  characters: 0,
  dropped: 0,
  reason: '',
  told: 0,
});

/**
 * The log of one deployment in a log database: a buffer in memory in front of the blocks.
 *
 * Invariants:
 * 1. Batches are appended one after another. A batch stays in memory until the database has confirmed it, so entries
 *    are lost only when the buffer is full or the process ends.
 * 2. An entry gets its timestamp in the transaction that appends it; no reader has seen it before.
 */
export function createBlockLog(options: BlockLogOptions): BlockLog {
  const { place, writer, table, lines, storage, limits, clock, logger, gauge } = options;
  const queue = createLimiter({ concurrency: 1 });
  const listeners = new Set<() => void>();
  const losses = createLossLedger();
  const waiting: Batch[] = [];
  let pending = createBatch();
  /** Characters that are pending or waiting. */
  let unwrittenCharacters = 0;
  let lastSequence = 0;
  /** Monotonic time of the last failed append; undefined after a successful one. */
  let failedAtMs: number | undefined;

  function append(entries: readonly LogInput[]): void | Promise<void> {
    if (entries.length === 0) return;
    if (unwrittenCharacters >= limits.bufferCharacters || gauge.characters >= limits.totalBufferCharacters) {
      // What was accepted before comes first.
      if (pending.bodies.length > 0) seal();
      pending.dropped += entries.length;
      pending.reason = failedAtMs === undefined ? TOO_FAST : UNREACHABLE;
      // A writer need not wait for a database that is down.
      return failedAtMs === undefined ? queue.run(async () => {}) : undefined;
    }
    const nowMs = clock.nowMs();
    const batches = waiting.length;
    for (const entry of entries) {
      const body = encodeBody(entry);
      pending.bodies.push(body);
      // A timestamp ahead of the clock would push every later one ahead of it too.
      pending.timesMs.push(Math.min(entry.timeMs ?? nowMs, nowMs));
      pending.severities |= bitOf(entry.severity);
      pending.characters += body.length;
      unwrittenCharacters += body.length;
      gauge.characters += body.length;
      if (pending.characters >= limits.writeCharacters) seal();
    }
    notify();
    if (failedAtMs !== undefined) return;
    if (unwrittenCharacters >= limits.backPressureCharacters) return drain().then(() => {});
    if (waiting.length > batches) void drain();
  }

  function notify(): void {
    for (const listener of listeners) listener();
  }

  /** Ends the pending batch. */
  function seal(): void {
    if (pending.bodies.length === 0 && pending.dropped === 0) return;
    waiting.push(pending);
    pending = createBatch();
  }

  /**
   * Appends what was accepted before the call to the table, then runs `work`, while nothing later is appended. Its
   * argument is false when some of it still waits.
   */
  function drainAnd<Result>(work: (isDrained: boolean) => Result | Promise<Result>): Promise<Result> {
    seal();
    let last = waiting.at(-1);
    return queue.run(async () => {
      if (!last && losses.count > 0) {
        last = createBatch();
        waiting.push(last);
      }
      while (last && waiting.includes(last)) {
        if (!(await appendBatch(waiting[0] as Batch))) return work(false);
        waiting.shift();
      }
      return work(true);
    });
  }

  /** Resolves false when something that was accepted before the call still waits. Never rejects. */
  const drain = () => drainAnd((isDrained) => isDrained);

  async function appendBatch(batch: Batch): Promise<boolean> {
    if (batch.sequence === undefined) prepare(batch);
    const { sequence } = batch;
    if (sequence === undefined) return true;
    try {
      let block: EncodedBlock | undefined;
      const head = await table.append(place, { writer, sequence }, async (last) => {
        block = await encodeBlock(batch, last);
        return block;
      });
      // A block that an earlier attempt appended has other timestamps.
      const isNew = block !== undefined && block.endsAt === head.lastTimestamp;
      if (block && isNew && listeners.size > 0) lines.keep(place, block, block.lines);
      losses.settle(batch.told);
      unwrittenCharacters -= batch.characters;
      gauge.characters -= batch.characters;
      if (failedAtMs !== undefined) logger.info({}, 'the log can be written again');
      failedAtMs = undefined;
      if (batch.told > 0) notify();
      options.onAppended(head);
      return true;
    } catch (error) {
      if (failedAtMs === undefined) {
        logger.warn(
          { error: describeError(error) },
          'log entries wait in memory: the log database did not accept them',
        );
      }
      failedAtMs = clock.monotonicMs();
      return false;
    }
  }

  /** Fixes what a batch consists of: its entries, after a report of earlier losses. */
  function prepare(batch: Batch): void {
    if (batch.dropped > 0) losses.add(batch.dropped, batch.reason);
    const message = losses.describe();
    if (message !== undefined) {
      batch.bodies.unshift(encodeBody({ logName: 'system', severity: 'ERROR', message }));
      batch.timesMs.unshift(batch.timesMs[0] ?? clock.nowMs());
      batch.severities |= bitOf('ERROR');
      batch.told = losses.count;
    }
    if (batch.bodies.length > 0) batch.sequence = ++lastSequence;
  }

  const isResting = () => failedAtMs !== undefined && clock.monotonicMs() - failedAtMs < RETRY_MS;

  return {
    append,
    newest: () => drainAnd(() => table.newest(place)),
    async commit(isRoutine) {
      if (isRoutine && isResting()) return false;
      return (await drain()) && losses.count === 0;
    },
    async hold(since) {
      await drain();
      const { segments: parquet, blocks } = await table.list(place, since);
      const segments = [...parquet, ...segmentsOfBlocks(place, blocks, limits.segmentBytes)].sort(compareSegments);
      const release = storage.pin(place, parquet);
      return { segments, [Symbol.dispose]: release };
    },
    watch(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    wake: notify,
    get isDirty() {
      return pending.bodies.length > 0 || pending.dropped > 0 || waiting.length > 0 || losses.count > 0;
    },
    get isIdle() {
      return !this.isDirty && queue.size === 0 && listeners.size === 0;
    },
  };
}

/** Returns the bit of a severity; 0 for an unknown one. */
function bitOf(severity: Severity): number {
  const index = SEVERITIES.indexOf(severity);
  return index === -1 ? 0 : 1 << index;
}

const TOO_FAST = 'they arrived faster than the log database can take them';
const UNREACHABLE = "the log database couldn't be reached";
