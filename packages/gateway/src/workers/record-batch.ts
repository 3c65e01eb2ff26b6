import type { Clock, Timer } from '@berth/kit';
import type { RequestRecord } from '../port/gateway.ts';

/** How long a record waits for others, and how many go together at most. */
const BATCH_MS = 20;
const BATCH_RECORDS = 512;

/** Gathers records on their way to another process. */
export interface RecordBatcher {
  add(record: RequestRecord): void;
  /** Sends what there is. */
  flush(): void;
}

/**
 * Gathers records and encodes them here, so that the core, which only passes them on, copies bytes and no more.
 */
export function createRecordBatcher({
  clock,
  send,
}: {
  readonly clock: Clock;
  readonly send: (records: Uint8Array, count: number) => void;
}): RecordBatcher {
  let batch: RequestRecord[] = [];
  let timer: Timer | null = null;
  const flush = () => {
    timer?.cancel();
    timer = null;
    if (batch.length === 0) return;
    const records = batch;
    batch = [];
    send(Buffer.from(JSON.stringify(records)), records.length);
  };
  return {
    add(record) {
      batch.push(record);
      if (batch.length >= BATCH_RECORDS) flush();
      else timer ??= clock.setTimer(BATCH_MS, flush);
    },
    flush,
  };
}

/** The records of a batch, in the order in which the requests ended. */
export function readRecords(records: Uint8Array): readonly RequestRecord[] {
  return JSON.parse(Buffer.from(records.buffer, records.byteOffset, records.byteLength).toString()) as RequestRecord[];
}
