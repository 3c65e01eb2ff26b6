import type { FrameBatch } from '../run-store.ts';
import type { RunFramesTable } from './schema.ts';

export function toFramesRow(runId: string, { firstSeq, frames }: FrameBatch): RunFramesTable {
  return { run_id: runId, first_seq: firstSeq, last_seq: firstSeq + frames.length - 1, frames: JSON.stringify(frames) };
}
