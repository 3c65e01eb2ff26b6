import { createError } from '@berth/contract';
import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { StoredChat } from '../ports/chat-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';

/** The error message for writing to a chat in the trash. */
export const IN_TRASH = 'This chat is in the trash. Restore it, or start a new one.';

/** Selects the owner's chats outside the trash, with their last runs. */
export function selectChats(db: Kysely<AgentSchema>, owner: OwnerKey) {
  return db
    .selectFrom('chats')
    .leftJoin('runs', 'runs.id', 'chats.last_run_id')
    .where('chats.owner', '=', owner)
    .where('chats.deleted_at', 'is', null)
    .selectAll('chats')
    .select([
      'runs.id as run_id',
      'runs.status as run_status',
      'runs.started_at as run_started_at',
      'runs.heartbeat_at as run_heartbeat_at',
    ]);
}

type ChatRow = Awaited<ReturnType<ReturnType<typeof selectChats>['execute']>>[number];

/** Converts a row to a chat. */
export function toStoredChat(row: ChatRow): StoredChat {
  return {
    id: row.id,
    title: row.title,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
    ...(row.favorited_at !== null && { favoritedAtMs: row.favorited_at }),
    costMicroUsd: row.cost_micro_usd,
    meta: JSON.parse(row.meta) as StoredChat['meta'],
    generation: row.generation,
    ...(row.run_id !== null && {
      run: {
        id: row.run_id,
        status: row.run_status ?? 'interrupted',
        startedAtMs: row.run_started_at ?? 0,
        heartbeatAtMs: row.run_heartbeat_at ?? 0,
      },
    }),
  };
}

/** Maximum length of a folded title: an index entry of Postgres has at most 2,704 bytes. */
const FOLDED_CHARACTERS = 256;

/** Returns the searchable beginning of a title, in lower case. */
export function foldTitle(title: string): string {
  return title.normalize('NFC').toLowerCase().slice(0, FOLDED_CHARACTERS);
}

/** Returns the row of an empty chat. */
export function newChatRow(owner: OwnerKey, id: string, title: string, nowMs: number): AgentSchema['chats'] {
  return {
    owner,
    id,
    title,
    title_folded: foldTitle(title),
    title_from: null,
    created_at: nowMs,
    updated_at: nowMs,
    favorited_at: null,
    cost_micro_usd: 0,
    meta: '{}',
    generation: 1,
    next_seq: 1,
    indexed_seq: 0,
    last_run_id: null,
    deleted_at: null,
  };
}

/**
 * Creates the chat when there is none, inside the caller's transaction; returns whether it did.
 * @throws `conflict` when the chat is in the trash.
 */
export async function ensureChat(
  db: Kysely<AgentSchema>,
  owner: OwnerKey,
  chatId: string,
  title: string,
  nowMs: number,
): Promise<boolean> {
  const inserted = await db
    .insertInto('chats')
    .values(newChatRow(owner, chatId, title, nowMs))
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (inserted) return true;
  const { deleted_at } = await db
    .selectFrom('chats')
    .select('deleted_at')
    .where('owner', '=', owner)
    .where('id', '=', chatId)
    .executeTakeFirstOrThrow();
  if (deleted_at === null) return false;
  throw createError('conflict', IN_TRASH);
}

/**
 * Deletes the approvals of one chat, or of all, when the calls that they were for are gone. The agent asks for approval
 * again.
 */
export async function dropApprovals(db: Kysely<AgentSchema>, owner: OwnerKey, chatId?: string): Promise<void> {
  const deletion = db.deleteFrom('approvals').where('owner', '=', owner);
  await (chatId === undefined ? deletion : deletion.where('chat_id', '=', chatId)).execute();
}
