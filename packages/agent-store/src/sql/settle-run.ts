import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { RunSettlement } from '../ports/run-store.ts';
import { insertMessages } from './message-rows.ts';
import { toFramesRow } from './run-rows.ts';

/** Ends a run inside the caller's transaction; see `RunStore.settle`. */
export async function settleRun(db: Kysely<AgentSchema>, runId: string, end: RunSettlement): Promise<boolean> {
  let update = db
    .updateTable('runs')
    .set({ status: end.status, frames_until: end.keepFramesUntilMs })
    .where('id', '=', runId)
    .where('status', '=', 'running');
  if (end.staleBeforeMs !== undefined) update = update.where('heartbeat_at', '<', end.staleBeforeMs);
  const run = await update.returning(['owner', 'chat_id']).executeTakeFirst();
  if (!run) return false;
  if (end.frames && end.frames.frames.length > 0) {
    await db.insertInto('run_frames').values(toFramesRow(runId, end.frames)).execute();
  }
  const owner = run.owner as OwnerKey;
  await insertMessages(db, owner, run.chat_id, end.messages, end.nowMs);
  if (end.costMicroUsd > 0) {
    await db
      .updateTable('chats')
      .set((eb) => ({ cost_micro_usd: eb('cost_micro_usd', '+', end.costMicroUsd) }))
      .where('owner', '=', owner)
      .where('id', '=', run.chat_id)
      .execute();
  }
  return true;
}
