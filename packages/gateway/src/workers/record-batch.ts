import type { Clock, Timer } from '@berth/kit';
import type { RequestRecord } from '../port/gateway.ts';

/** Maximum time that a record waits for others. */
const BATCH_MS = 20;
/** Maximum records of a batch. */
const BATCH_RECORDS = 512;

/** Creates a batcher that encodes records in this process, so that the core only copies bytes when it passes them on. */
export function createRecordBatcher(clock: Clock, send: (records: Uint8Array, count: number) => void) {
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
    /** Adds a record to the current batch. */
    add(record: RequestRecord): void {
      batch.push(record);
      if (batch.length >= BATCH_RECORDS) flush();
      else timer ??= clock.setTimer(BATCH_MS, flush);
    },
    /** Sends the current batch now. */
    flush,
  };
}

/** Decodes the records of a batch, in the order in which the requests ended. */
export function readRecords(records: Uint8Array): readonly RequestRecord[] {
  return JSON.parse(Buffer.from(records.buffer, records.byteOffset, records.byteLength).toString()) as RequestRecord[];
}
