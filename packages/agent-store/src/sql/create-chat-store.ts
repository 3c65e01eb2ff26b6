import { sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { ChatStore } from '../ports/chat-store.ts';
import { ensureChat, foldTitle, newChatRow, selectChats, toStoredChat } from './chat-rows.ts';
import { purgeChats, trashChat } from './chat-trash.ts';
import { insertMessages, toStoredMessage } from './message-rows.ts';
import { patchChat } from './patch-chat.ts';
import { truncateChat } from './truncate-chat.ts';

/** Creates the store of chats. */
export function createChatStore(database: AgentDatabase): ChatStore {
  const { db, dialect } = database;
  return {
    async list(owner, { limit, after, query }) {
      let select = selectChats(db, owner);
      if (after) {
        const { updatedAtMs, id } = after;
        select = select.where(sql<boolean>`(chats.updated_at, chats.id) < (${updatedAtMs}, ${id})`);
      }
      if (query) {
        // Uses the text's position, since LIKE treats case differently in the two databases.
        const find = dialect === 'sqlite' ? sql`instr` : sql`strpos`;
        select = select.where(sql<boolean>`${find}(chats.title_folded, ${foldTitle(query)}) > 0`);
      }
      const rows = await select.orderBy('chats.updated_at', 'desc').orderBy('chats.id', 'desc').limit(limit).execute();
      return rows.map(toStoredChat);
    },
    async find(owner, chatId) {
      const row = await selectChats(db, owner).where('chats.id', '=', chatId).executeTakeFirst();
      return row && toStoredChat(row);
    },
    patch: (owner, chatId, patch, nowMs) => patchChat(database, owner, chatId, patch, nowMs),
    async messages(owner, chatId, { afterSeq = 0, limit } = {}) {
      const select = db
        .selectFrom('messages')
        .innerJoin('chats', (join) =>
          join.onRef('chats.owner', '=', 'messages.owner').onRef('chats.id', '=', 'messages.chat_id'),
        )
        .where('chats.deleted_at', 'is', null)
        .where('messages.owner', '=', owner)
        .where('messages.chat_id', '=', chatId)
        .where('messages.seq', '>', afterSeq)
        .selectAll('messages');
      if (limit === undefined) return (await select.orderBy('messages.seq').execute()).map(toStoredMessage);
      const newest = await select.orderBy('messages.seq', 'desc').limit(limit).execute();
      return newest.reverse().map(toStoredMessage);
    },
    async append(owner, chatId, messages, nowMs) {
      await db.transaction().execute(async (transaction) => {
        await ensureChat(transaction, owner, chatId, '', nowMs);
        await transaction
          .updateTable('chats')
          .set({ updated_at: nowMs })
          .where('owner', '=', owner)
          .where('id', '=', chatId)
          .execute();
        await insertMessages(transaction, owner, chatId, messages, nowMs);
      });
    },
    create: (owner, { id, title, meta = {} }, messages, nowMs) =>
      db.transaction().execute(async (transaction) => {
        const inserted = await transaction
          .insertInto('chats')
          .values({ ...newChatRow(owner, id, title, nowMs), meta: JSON.stringify(meta) })
          .onConflict((conflict) => conflict.doNothing())
          .returning('id')
          .executeTakeFirst();
        if (!inserted) return false;
        await insertMessages(transaction, owner, id, messages, nowMs);
        return true;
      }),
    truncate: (owner, chatId, options) => truncateChat(database, owner, chatId, options),
    trash: (owner, chatId, nowMs) => trashChat(database, owner, chatId, nowMs),
    async restore(owner, chatId) {
      const { numUpdatedRows } = await db
        .updateTable('chats')
        .set({ deleted_at: null })
        .where('owner', '=', owner)
        .where('id', '=', chatId)
        .where('deleted_at', 'is not', null)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    async listTrashed(owner) {
      const rows = await db
        .selectFrom('chats')
        .select(['id', 'title', 'deleted_at'])
        .where('owner', '=', owner)
        .where('deleted_at', 'is not', null)
        .orderBy('deleted_at', 'desc')
        .orderBy('id', 'desc')
        .execute();
      return rows.map(({ id, title, deleted_at }) => ({ id, title, deletedAtMs: deleted_at ?? 0 }));
    },
    purge: (owner, options) => purgeChats(database, owner, options),
  };
}
