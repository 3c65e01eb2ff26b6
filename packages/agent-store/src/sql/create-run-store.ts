import type { Kysely } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import { createTransactor } from '../database/create-transactor.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { FrameBatch, RunStore } from '../ports/run-store.ts';
import { beginRun } from './begin-run.ts';
import { toFramesRow, toStoredRun } from './run-rows.ts';
import { settleRun } from './settle-run.ts';

/** Maximum rows per statement. With four values each, this is far below the parameter limit of either database. */
const ROWS_AT_ONCE = 1_000;

/** Creates the store of runs. */
export function createRunStore(database: AgentDatabase): RunStore {
  const { db } = database;
  const transact = createTransactor(database);
  return {
    begin: (run) => transact((transaction) => beginRun(transaction, run)),
    async find(owner, runId) {
      const row = await db
        .selectFrom('runs')
        .selectAll()
        .where('owner', '=', owner)
        .where('id', '=', runId)
        .executeTakeFirst();
      return row && toStoredRun(row);
    },
    async findLast(owner, chatId) {
      const row = await db
        .selectFrom('runs')
        .selectAll()
        .where('owner', '=', owner)
        .where('chat_id', '=', chatId)
        .orderBy('started_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && toStoredRun(row);
    },
    async append(batches) {
      if (batches.length === 0) return;
      await transact((transaction) => appendFrames(transaction, batches));
    },
    async frames(owner, runId, afterSeq, limit) {
      const rows = await db
        .selectFrom('run_frames')
        .innerJoin('runs', 'runs.id', 'run_frames.run_id')
        .select(['run_frames.first_seq', 'run_frames.frames'])
        .where('runs.owner', '=', owner)
        .where('run_frames.run_id', '=', runId)
        .where('run_frames.last_seq', '>', afterSeq)
        .orderBy('run_frames.first_seq')
        .limit(limit)
        .execute();
      return rows.map(({ first_seq, frames }) => ({ firstSeq: first_seq, frames: JSON.parse(frames) as string[] }));
    },
    async heartbeat(runIds, nowMs) {
      const lost = new Set(runIds);
      for (let start = 0; start < runIds.length; start += ROWS_AT_ONCE) {
        const alive = await db
          .updateTable('runs')
          .set({ heartbeat_at: nowMs })
          .where('id', 'in', runIds.slice(start, start + ROWS_AT_ONCE))
          .where('status', '=', 'running')
          .returning('id')
          .execute();
        for (const { id } of alive) lost.delete(id);
      }
      return [...lost];
    },
    async requestStop(owner, runId) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ stop_requested: 1 })
        .where('owner', '=', owner)
        .where('id', '=', runId)
        .where('status', '=', 'running')
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async stopRequests(instance) {
      const rows = await db
        .selectFrom('runs')
        .select('id')
        .where('instance', '=', instance)
        .where('status', '=', 'running')
        .where('stop_requested', '=', 1)
        .execute();
      return rows.map(({ id }) => id);
    },
    settle: (runId, end) => transact((transaction) => settleRun(transaction, runId, end)),
    async listStale(beforeMs, limit) {
      const rows = await db
        .selectFrom('runs')
        .selectAll()
        .where('status', '=', 'running')
        .where('heartbeat_at', '<', beforeMs)
        .orderBy('heartbeat_at')
        .limit(limit)
        .execute();
      return rows.map(toStoredRun);
    },
    purgeFrames: (nowMs) => transact((transaction) => purgeFrames(transaction, nowMs)),
  };
}

/** Adds frames of runs that are running, inside the caller's transaction. */
async function appendFrames(
  db: Kysely<AgentSchema>,
  batches: readonly (FrameBatch & { readonly runId: string })[],
): Promise<void> {
  for (let start = 0; start < batches.length; start += ROWS_AT_ONCE) {
    const some = batches.slice(start, start + ROWS_AT_ONCE).filter(({ frames }) => frames.length > 0);
    if (some.length === 0) continue;
    const running = await db
      .selectFrom('runs')
      .select('id')
      .where('status', '=', 'running')
      .where('id', 'in', [...new Set(some.map(({ runId }) => runId))])
      .execute();
    const ids = new Set(running.map(({ id }) => id));
    const rows = some.filter(({ runId }) => ids.has(runId)).map((batch) => toFramesRow(batch.runId, batch));
    if (rows.length > 0) await db.insertInto('run_frames').values(rows).execute();
  }
}

async function purgeFrames(db: Kysely<AgentSchema>, nowMs: number): Promise<void> {
  const over = await db
    .updateTable('runs')
    .set({ frames_until: null })
    .where('frames_until', 'is not', null)
    .where('frames_until', '<=', nowMs)
    .returning(['id', 'owner', 'chat_id'])
    .execute();
  for (const { id, owner, chat_id } of over) {
    await db.deleteFrom('run_frames').where('run_id', '=', id).execute();
    const chat = db.selectFrom('chats').select('id').where('owner', '=', owner).where('id', '=', chat_id);
    // The last run gives the chat its status; no other run is read again.
    await db
      .deleteFrom('runs')
      .where('id', '=', id)
      .where(({ not, exists }) => not(exists(chat.where('last_run_id', '=', id))))
      .execute();
  }
}
