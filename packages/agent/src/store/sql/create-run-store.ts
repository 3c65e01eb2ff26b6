import type { Kysely, Selectable } from 'kysely';
import type { OwnerKey } from '../../define/user.ts';
import type { BeginRun, FrameBatch, RunStore, StoredRun } from '../run-store.ts';
import type { AgentDatabase } from './agent-database.ts';
import { ensureChat } from './chat-rows.ts';
import { toFramesRow } from './frame-rows.ts';
import { insertMessages } from './message-rows.ts';
import type { AgentSchema, RunsTable } from './schema.ts';
import { settleRun } from './settle-run.ts';

/** Rows of one statement: four values each, far below what either dialect binds. */
const ROWS_AT_ONCE = 1_000;

/** Runs in SQL. */
export function createRunStore({ db }: AgentDatabase): RunStore {
  return {
    begin: (run) => db.transaction().execute((transaction) => beginRun(transaction, run)),
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
      await db.transaction().execute((transaction) => appendFrames(transaction, batches));
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
    settle: (runId, end) => db.transaction().execute((transaction) => settleRun(transaction, runId, end)),
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
    purgeFrames: (nowMs) => db.transaction().execute((transaction) => purgeFrames(transaction, nowMs)),
  };
}

async function beginRun(db: Kysely<AgentSchema>, run: BeginRun): ReturnType<RunStore['begin']> {
  const { owner, chatId, nowMs } = run;
  const live = () =>
    db
      .selectFrom('runs')
      .selectAll()
      .where('owner', '=', owner)
      .where('chat_id', '=', chatId)
      .where('status', '=', 'running')
      .executeTakeFirst();
  const standing = await live();
  if (standing) {
    return { result: standing.heartbeat_at < run.staleBeforeMs ? 'stale' : 'busy', run: toStoredRun(standing) };
  }
  const inserted = await db
    .insertInto('runs')
    .values({
      ...{ id: run.id, owner, chat_id: chatId, status: 'running', instance: run.instance },
      ...{ started_at: nowMs, heartbeat_at: nowMs, stop_requested: 0, frames_until: null },
    })
    // Another transaction of Postgres may have begun one since; the index holds that there is one.
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) {
    const other = await live();
    if (other) return { result: 'busy', run: toStoredRun(other) };
    // It came and went between the two looks.
    return beginRun(db, run);
  }
  if (run.message) {
    await ensureChat(db, owner, chatId, run.message.title, nowMs);
    await db
      .updateTable('chats')
      .set((eb) => ({
        updated_at: nowMs,
        last_run_id: run.id,
        title: eb
          .case()
          .when('title', '=', '')
          .then(run.message?.title ?? '')
          .else(eb.ref('title'))
          .end(),
      }))
      .where('owner', '=', owner)
      .where('id', '=', chatId)
      .execute();
    await insertMessages(db, owner, chatId, [{ runId: run.id, ...run.message.message }], nowMs);
  }
  return { result: 'begun' };
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
    // The last run of a chat says how the chat stands; no other is asked for again.
    await db
      .deleteFrom('runs')
      .where('id', '=', id)
      .where(({ not, exists }) => not(exists(chat.where('last_run_id', '=', id))))
      .execute();
  }
}

function toStoredRun(row: Selectable<RunsTable>): StoredRun {
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
