import { createError } from '@berth/contract';
import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { BeginRun, RunProgress, RunSettlement, RunStore, StoredRun, TakeOverRun } from '../ports/run-store.ts';
import { setAside } from './branch-rows.ts';
import { dropApprovals, foldTitle, IN_TRASH, newChatRow } from './chat-rows.ts';
import { insertMessages, toMessageRow } from './message-rows.ts';
import { indexChat } from './search-rows.ts';

type Db = Kysely<AgentSchema>;

/** Maximum rows per statement. With four values each, this is far below the parameter limit of either database. */
const ROWS_AT_ONCE = 1_000;

/** Creates the store of runs. */
export function createRunStore({ db, dialect, onCommit }: AgentDatabase): RunStore {
  const transact = <Result>(work: (transaction: Db) => Promise<Result>) => db.transaction().execute(work);
  return {
    begin: (run, onBegun) =>
      transact(async (transaction) => {
        const begun = await beginRun(transaction, run);
        if (begun.result === 'begun' && onBegun) onCommit?.(() => onBegun(begun));
        return begun;
      }),
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
    async append(progress) {
      if (progress.length === 0) return [];
      return await transact((transaction) => appendFrames(transaction, dialect, progress));
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
    async heartbeat(runIds, nowMs, instance) {
      const lost = new Set(runIds);
      for (let start = 0; start < runIds.length; start += ROWS_AT_ONCE) {
        const alive = await db
          .updateTable('runs')
          .set({ heartbeat_at: nowMs })
          .where('id', 'in', runIds.slice(start, start + ROWS_AT_ONCE))
          .where('instance', '=', instance)
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
    takeOver: (runId, options) => transact((transaction) => takeOverRun(transaction, dialect, runId, options)),
    async release(runId, attempt) {
      const { numUpdatedRows } = await db
        .updateTable('runs')
        .set({ heartbeat_at: 0 })
        .where((eb) => eb.and({ id: runId, attempt, status: 'running' }))
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    settle: (runId, end) => transact((transaction) => settleRun(transaction, dialect, runId, end)),
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
      attempt: 1,
      resumed_after: '[]',
      request: run.request ?? null,
      cost_micro_usd: 0,
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
  if (run.message) return { result: 'begun', isFirstMessage: await addMessage(db, run, run.message) };
  if (run.isContinuation) await continueChat(db, run);
  return { result: 'begun', isFirstMessage: false };
}

/** Creates the chat if it is new, and adds the user's message; returns whether that is its first one. */
async function addMessage(
  db: Db,
  { id, owner, chatId, nowMs }: BeginRun,
  { message, title, replaces }: NonNullable<BeginRun['message']>,
): Promise<boolean> {
  if (replaces !== undefined) await replaceMessage(db, owner, chatId, replaces);
  const chat = await db
    .insertInto('chats')
    .values({ ...newChatRow(owner, chatId, title, nowMs), title_from: 'message', next_seq: 2, last_run_id: id })
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
            title_from: sql`case when chats.title = '' then 'message' else chats.title_from end`,
          };
        })
        .where('chats.deleted_at', 'is', null),
    )
    .returning('next_seq')
    .executeTakeFirst();
  if (!chat) throw createError('conflict', IN_TRASH);
  const seq = chat.next_seq - 1;
  await db
    .insertInto('messages')
    .values(toMessageRow(owner, chatId, seq, { runId: id, ...message }, nowMs))
    .execute();
  return seq === 1;
}

/** @throws `not_found` unless `seq` is a message of the user that the chat shows. */
async function replaceMessage(db: Db, owner: OwnerKey, chatId: string, seq: number): Promise<void> {
  const replaced = db.selectFrom('messages').select('seq');
  const isShown = await replaced
    .where((eb) => eb.and({ owner, chat_id: chatId, seq, role: 'user', is_internal: 0 }))
    .executeTakeFirst();
  if (!isShown) throw createError('not_found', `The chat has no message ${seq} of yours to replace. Reload it.`);
  await setAside(db, owner, chatId, seq);
  await dropApprovals(db, owner, chatId);
}

/** Makes the run the chat's last one. */
async function continueChat(db: Db, { id, owner, chatId }: BeginRun): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('chats')
    .set({ last_run_id: id })
    .where((eb) => eb.and({ owner, id: chatId }))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) throw createError('conflict', IN_TRASH);
}

/**
 * Waits until no append to the run is in progress, and keeps later ones waiting. SQLite has one writer anyway.
 * {@link appendFrames} takes the lock's counterpart, which heartbeats don't conflict with.
 */
async function lockRun(db: Db, dialect: AgentDatabase['dialect'], runId: string): Promise<void> {
  if (dialect === 'postgres') await db.selectFrom('runs').select('id').where('id', '=', runId).forUpdate().execute();
}

async function takeOverRun(
  db: Db,
  dialect: AgentDatabase['dialect'],
  runId: string,
  { attempt, instance, staleBeforeMs, nowMs }: TakeOverRun,
): Promise<StoredRun | undefined> {
  await lockRun(db, dialect, runId);
  const row = await db
    .updateTable('runs')
    .set({ instance, attempt: attempt + 1, heartbeat_at: nowMs })
    .where((eb) => eb.and({ id: runId, attempt, status: 'running' }))
    .where('heartbeat_at', '<', staleBeforeMs)
    .returningAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const resumed_after = withLast(row.resumed_after, await lastLoggedSeq(db, runId));
  await db.updateTable('runs').set({ resumed_after }).where('id', '=', runId).execute();
  return toStoredRun({ ...row, resumed_after });
}

async function lastLoggedSeq(db: Db, runId: string): Promise<number> {
  const frames = db.selectFrom('run_frames').select('last_seq').where('run_id', '=', runId);
  return (await frames.orderBy('first_seq', 'desc').limit(1).executeTakeFirst())?.last_seq ?? 0;
}

/** Returns the value of `resumed_after` with another attempt. */
function withLast(resumedAfter: string, lastSeq: number): string {
  return JSON.stringify([...(JSON.parse(resumedAfter) as number[]), lastSeq]);
}

/** Takes a stale attempt's right to write, for a settlement in its place; false when it isn't stale or has logged more. */
async function endAttempt(
  db: Db,
  runId: string,
  attempt: number,
  { beforeMs, lastSeq }: NonNullable<RunSettlement['stale']>,
): Promise<boolean> {
  if ((await lastLoggedSeq(db, runId)) !== lastSeq) return false;
  const row = await db
    .updateTable('runs')
    .set({ attempt: attempt + 1 })
    .where((eb) => eb.and({ id: runId, attempt, status: 'running' }))
    .where('heartbeat_at', '<', beforeMs)
    .returning('resumed_after')
    .executeTakeFirst();
  if (!row) return false;
  const resumed_after = withLast(row.resumed_after, lastSeq);
  await db.updateTable('runs').set({ resumed_after }).where('id', '=', runId).execute();
  return true;
}

async function settleRun(
  db: Db,
  dialect: AgentDatabase['dialect'],
  runId: string,
  end: RunSettlement,
): Promise<boolean> {
  await lockRun(db, dialect, runId);
  if (end.stale && !(await endAttempt(db, runId, end.attempt, end.stale))) return false;
  const run = await db
    .updateTable('runs')
    // The request names the person, and no one needs it any more.
    .set({ status: end.status, frames_until: end.keepFramesUntilMs, request: null, cost_micro_usd: end.costMicroUsd })
    .where((eb) => eb.and({ id: runId, attempt: end.stale ? end.attempt + 1 : end.attempt, status: 'running' }))
    .returning(['owner', 'chat_id'])
    .executeTakeFirst();
  if (!run) return false;
  if (end.frames && end.frames.frames.length > 0) {
    const [first_seq, last_seq, frames] = framesRow(end.frames.firstSeq, end.frames.frames);
    await db.insertInto('run_frames').values({ run_id: runId, first_seq, last_seq, frames }).execute();
  }
  await insertMessages(db, run.owner, run.chat_id, end.messages, end.nowMs);
  await indexChat(db, dialect, run.owner, run.chat_id);
  if (end.costMicroUsd > 0) {
    await db
      .updateTable('chats')
      .set((eb) => ({ cost_micro_usd: eb('cost_micro_usd', '+', end.costMicroUsd) }))
      .where((eb) => eb.and({ owner: run.owner, id: run.chat_id }))
      .execute();
  }
  return true;
}

/**
 * Adds frames and costs of runs that are running, in the attempt that they are in. The frames of all of them are one parameter: with
 * one for each value, most of the time would go to the text of the statement.
 */
async function appendFrames(
  db: Db,
  dialect: AgentDatabase['dialect'],
  progress: readonly RunProgress[],
): Promise<readonly string[]> {
  const rows = progress
    .filter(({ frames }) => frames.length > 0)
    .map(({ runId, attempt, firstSeq, frames }) => [runId, attempt, ...framesRow(firstSeq, frames)]);
  let added = 0;
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const json = JSON.stringify(rows.slice(start, start + ROWS_AT_ONCE));
    const isPostgres = dialect === 'postgres';
    const { numAffectedRows } = await sql`
      insert into run_frames (run_id, first_seq, last_seq, frames)
      select runs.id, cast(one.value ->> 2 as integer), cast(one.value ->> 3 as integer), one.value ->> 4
      from ${isPostgres ? sql`json_array_elements(${json}::json)` : sql`json_each(${json})`} as one
      join runs on runs.id = one.value ->> 0 and runs.attempt = cast(one.value ->> 1 as integer)
      where runs.status = 'running' ${isPostgres ? sql`for key share of runs` : sql``}`.execute(db);
    added += Number(numAffectedRows ?? 0);
  }
  for (const { runId, attempt, costMicroUsd } of progress) {
    if (costMicroUsd === undefined) continue;
    await db
      .updateTable('runs')
      .set({ cost_micro_usd: costMicroUsd })
      .where((eb) => eb.and({ id: runId, attempt, status: 'running' }))
      .execute();
  }
  return added === progress.length ? [] : await findDropped(db, progress);
}

/** Returns which of the runs are not running any more, in this attempt. */
async function findDropped(db: Db, progress: readonly RunProgress[]): Promise<readonly string[]> {
  const attempts = new Map<string, number>();
  for (let start = 0; start < progress.length; start += ROWS_AT_ONCE) {
    const ids = new Set(progress.slice(start, start + ROWS_AT_ONCE).map(({ runId }) => runId));
    const running = db.selectFrom('runs').select(['id', 'attempt']).where('status', '=', 'running');
    for (const { id, attempt } of await running.where('id', 'in', [...ids]).execute()) attempts.set(id, attempt);
  }
  return progress.filter(({ runId, attempt }) => attempts.get(runId) !== attempt).map(({ runId }) => runId);
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
    attempt: row.attempt,
    resumedAfter: JSON.parse(row.resumed_after) as number[],
    ...(row.request !== null && { request: row.request }),
    costMicroUsd: row.cost_micro_usd,
    startedAtMs: row.started_at,
    heartbeatAtMs: row.heartbeat_at,
    isStopRequested: row.stop_requested === 1,
    hasFrames: row.status === 'running' || row.frames_until !== null,
  };
}

/** Returns the numbers of the first and the last frame, and the frames as one text. */
function framesRow(firstSeq: number, frames: readonly string[]): [first: number, last: number, frames: string] {
  return [firstSeq, firstSeq + frames.length - 1, JSON.stringify(frames)];
}
