import { createError } from '@berth/contract';
import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { BeginRun, RunStore } from '../ports/run-store.ts';
import { foldTitle, IN_TRASH, newChatRow } from './chat-rows.ts';
import { toMessageRow } from './message-rows.ts';
import { toStoredRun } from './run-rows.ts';

/**
 * Begins a run inside the caller's transaction; see `RunStore.begin`. It delays the first word of an answer, so it
 * takes three statements only.
 */
export async function beginRun(db: Kysely<AgentSchema>, run: BeginRun): ReturnType<RunStore['begin']> {
  const { owner, chatId, nowMs } = run;
  const inserted = await db
    .insertInto('runs')
    .values({
      id: run.id,
      owner,
      chat_id: chatId,
      status: 'running',
      instance: run.instance,
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
      .where('owner', '=', owner)
      .where('chat_id', '=', chatId)
      .where('status', '=', 'running')
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
  db: Kysely<AgentSchema>,
  { id, owner, chatId, nowMs }: BeginRun,
  { message, title }: NonNullable<BeginRun['message']>,
): Promise<void> {
  const chat = await db
    .insertInto('chats')
    .values({ ...newChatRow(owner, chatId, title, nowMs), next_seq: 2, last_run_id: id })
    .onConflict((conflict) =>
      conflict
        .columns(['owner', 'id'])
        .doUpdateSet((eb) => ({
          updated_at: nowMs,
          last_run_id: id,
          next_seq: eb('chats.next_seq', '+', 1),
          title: eb.case().when('chats.title', '=', '').then(title).else(eb.ref('chats.title')).end(),
          title_folded: eb
            .case()
            .when('chats.title', '=', '')
            .then(foldTitle(title))
            .else(eb.ref('chats.title_folded'))
            .end(),
        }))
        .where('chats.deleted_at', 'is', null),
    )
    .returning('next_seq')
    .executeTakeFirst();
  if (!chat) throw createError('conflict', IN_TRASH);
  const row = toMessageRow(owner, chatId, chat.next_seq - 1, { runId: id, ...message }, nowMs);
  await db.insertInto('messages').values(row).execute();
}
