import type { Selectable } from 'kysely';
import type { RunFramesTable, RunsTable } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { FrameBatch, StoredRun } from '../ports/run-store.ts';

/** Converts a row to a run. */
export function toStoredRun(row: Selectable<RunsTable>): StoredRun {
  return {
    id: row.id,
    owner: row.owner as OwnerKey,
    chatId: row.chat_id,
    status: row.status,
    instance: row.instance,
    startedAtMs: row.started_at,
    heartbeatAtMs: row.heartbeat_at,
    isStopRequested: row.stop_requested === 1,
    hasFrames: row.status === 'running' || row.frames_until !== null,
  };
}

/** Converts a batch of frames to a row. */
export function toFramesRow(runId: string, { firstSeq, frames }: FrameBatch): RunFramesTable {
  return { run_id: runId, first_seq: firstSeq, last_seq: firstSeq + frames.length - 1, frames: JSON.stringify(frames) };
}
