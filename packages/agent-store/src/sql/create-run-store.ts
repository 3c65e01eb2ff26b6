import { createError } from '@berth/contract';
import type { Kysely } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { BeginRun, FrameBatch, RunSettlement, RunStore, StoredRun } from '../ports/run-store.ts';
import { foldTitle, IN_TRASH, newChatRow } from './chat-rows.ts';
import { insertMessages, toMessageRow } from './message-rows.ts';

type Db = Kysely<AgentSchema>;

/** Maximum rows per statement. With four values each, this is far below the parameter limit of either database. */
const ROWS_AT_ONCE = 1_000;

/** Creates the store of runs. */
export function createRunStore({ db }: AgentDatabase): RunStore {
  const transact = <Result>(work: (transaction: Db) => Promise<Result>) => db.transaction().execute(work);
  return {
    begin: (run) => transact((transaction) => beginRun(transaction, run)),
    async find(owner, runId) {
      const runs = db.selectFrom('runs').selectAll().where('owner', '=', owner);
      const row = await runs.where('id', '=', runId).executeTakeFirst();
      return row && toStoredRun(row);
    },
    async findLast(owner, chatId) {
      const row = await db
        .selectFrom('runs')
        .selectAll()
        .where((eb) => eb.and({ owner, chat_id: chatId }))
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
        .where((eb) => eb.and({ owner, id: runId, status: 'running' }))
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

/** Begins a run. It delays the first word of an answer, so it takes three statements only. */
async function beginRun(db: Db, run: BeginRun): ReturnType<RunStore['begin']> {
  const { id, owner, chatId, instance, nowMs } = run;
  const inserted = await db
    .insertInto('runs')
    .values({
      id,
      owner,
      chat_id: chatId,
      status: 'running',
      instance,
      started_at: nowMs,
      heartbeat_at: nowMs,
      stop_requested: 0,
      frames_until: null,
    })
    // A unique index allows one live run per chat.
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (!inserted) {
    const live = await db
      .selectFrom('runs')
      .selectAll()
      .where((eb) => eb.and({ owner, chat_id: chatId, status: 'running' }))
      .executeTakeFirst();
    // The run ended between the two statements, which is possible with Postgres.
    if (!live) return beginRun(db, run);
    return { result: live.heartbeat_at < run.staleBeforeMs ? 'stale' : 'busy', run: toStoredRun(live) };
  }
  if (run.message) await addMessage(db, run, run.message);
  return { result: 'begun' };
}

/** Creates the chat if it is new, and adds the user's message. */
async function addMessage(
  db: Db,
  { id, owner, chatId, nowMs }: BeginRun,
  { message, title }: NonNullable<BeginRun['message']>,
): Promise<void> {
  const chat = await db
    .insertInto('chats')
    .values({ ...newChatRow(owner, chatId, title, nowMs), next_seq: 2, last_run_id: id })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'id'])
        .doUpdateSet((eb) => {
          const unlessTitled = (column: 'title' | 'title_folded', text: string) =>
            eb
              .case()
              .when('chats.title', '=', '')
              .then(text)
              .else(eb.ref(`chats.${column}`))
              .end();
          return {
            updated_at: nowMs,
            last_run_id: id,
            next_seq: eb('chats.next_seq', '+', 1),
            title: unlessTitled('title', title),
            title_folded: unlessTitled('title_folded', foldTitle(title)),
          };
        })
        .where('chats.deleted_at', 'is', null),
    )
    .returning('next_seq')
    .executeTakeFirst();
  if (!chat) throw createError('conflict', IN_TRASH);
  const row = toMessageRow(owner, chatId, chat.next_seq - 1, { runId: id, ...message }, nowMs);
  await db.insertInto('messages').values(row).execute();
}

async function settleRun(db: Db, runId: string, end: RunSettlement): Promise<boolean> {
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
  await insertMessages(db, run.owner, run.chat_id, end.messages, end.nowMs);
  if (end.costMicroUsd > 0) {
    await db
      .updateTable('chats')
      .set((eb) => ({ cost_micro_usd: eb('cost_micro_usd', '+', end.costMicroUsd) }))
      .where((eb) => eb.and({ owner: run.owner, id: run.chat_id }))
      .execute();
  }
  return true;
}

/** Adds frames of runs that are running. */
async function appendFrames(db: Db, batches: readonly (FrameBatch & { readonly runId: string })[]): Promise<void> {
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

async function purgeFrames(db: Db, nowMs: number): Promise<void> {
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

function toStoredRun(row: AgentSchema['runs']): StoredRun {
  return {
    id: row.id,
    owner: row.owner,
    chatId: row.chat_id,
    status: row.status,
    instance: row.instance,
    startedAtMs: row.started_at,
    heartbeatAtMs: row.heartbeat_at,
    isStopRequested: row.stop_requested === 1,
    hasFrames: row.status === 'running' || row.frames_until !== null,
  };
}

function toFramesRow(runId: string, { firstSeq, frames }: FrameBatch): AgentSchema['run_frames'] {
  return { run_id: runId, first_seq: firstSeq, last_seq: firstSeq + frames.length - 1, frames: JSON.stringify(frames) };
}
