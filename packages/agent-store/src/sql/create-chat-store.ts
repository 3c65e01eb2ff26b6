import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { ChatStore } from '../ports/chat-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { listVersions, showVersion } from './branch-rows.ts';
import { dropApprovals, ensureChat, foldTitle, newChatRow, selectChats, toStoredChat } from './chat-rows.ts';
import { insertMessages, toStoredMessage } from './message-rows.ts';
import { createChatSearch } from './search-chats.ts';
import { dropFromIndex, indexChat } from './search-rows.ts';

/** Creates the store of chats. */
export function createChatStore({ db, dialect }: AgentDatabase): ChatStore {
  const search = createChatSearch(db, dialect);
  return {
    async list(owner, { limit, after, query }) {
      if (query) return await search(owner, query, { limit, ...(after && { after }) });
      let select = selectChats(db, owner);
      if (after) {
        const { updatedAtMs, id } = after;
        select = select.where(sql<boolean>`(chats.updated_at, chats.id) < (${updatedAtMs}, ${id})`);
      }
      const rows = await select.orderBy('chats.updated_at', 'desc').orderBy('chats.id', 'desc').limit(limit).execute();
      return rows.map(toStoredChat);
    },
    async find(owner, chatId) {
      const row = await selectChats(db, owner).where('chats.id', '=', chatId).executeTakeFirst();
      return row && toStoredChat(row);
    },
    patch: (owner, id, { title, favoritedAtMs, meta }, nowMs) =>
      db.transaction().execute(async (transaction) => {
        await ensureChat(transaction, owner, id, '', nowMs);
        const select = transaction.selectFrom('chats').select('meta').where('owner', '=', owner).where('id', '=', id);
        const before = await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirstOrThrow();
        await updateChat(transaction, { owner, id })
          .set({
            meta: JSON.stringify(mergeMeta(JSON.parse(before.meta) as Meta, meta ?? {})),
            ...(title !== undefined && { title: title ?? '', title_folded: foldTitle(title ?? ''), title_from: null }),
            ...(favoritedAtMs !== undefined && { favorited_at: favoritedAtMs }),
          })
          .execute();
        return toStoredChat(await selectChats(transaction, owner).where('chats.id', '=', id).executeTakeFirstOrThrow());
      }),
    async claimTitle(owner, id) {
      const update = updateChat(db, { owner, id }).set({ title_from: 'asked' }).where('title_from', '=', 'message');
      return (await update.where('deleted_at', 'is', null).executeTakeFirst()).numUpdatedRows > 0n;
    },
    async writeTitle(owner, id, { title, costMicroUsd }) {
      const isAsked = sql<boolean>`title_from = 'asked'`;
      await updateChat(db, { owner, id })
        .set((eb) => ({
          cost_micro_usd: eb('cost_micro_usd', '+', costMicroUsd),
          ...(title !== undefined && {
            title: eb.case().when(isAsked).then(title).else(eb.ref('title')).end(),
            title_folded: eb.case().when(isAsked).then(foldTitle(title)).else(eb.ref('title_folded')).end(),
          }),
          title_from: null,
        }))
        .execute();
    },
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
    append: (owner, id, messages, nowMs) =>
      db.transaction().execute(async (transaction) => {
        await ensureChat(transaction, owner, id, '', nowMs);
        await updateChat(transaction, { owner, id }).set({ updated_at: nowMs }).execute();
        await insertMessages(transaction, owner, id, messages, nowMs);
        await indexChat(transaction, dialect, owner, id);
      }),
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
        await indexChat(transaction, dialect, owner, id);
        return true;
      }),
    truncate: (owner, id, { fromSeq, lastSeq }) =>
      db.transaction().execute(async (transaction) => {
        const inChat = { owner, chat_id: id };
        if (!(await lockChat(transaction, dialect, owner, id))) return 'missing';
        if (await hasLiveRun(transaction, owner, id)) return 'running';
        const messages = transaction.selectFrom('messages').where((eb) => eb.and(inChat));
        const { newest } = await messages.select((eb) => eb.fn.max('seq').as('newest')).executeTakeFirstOrThrow();
        if (newest !== lastSeq) return 'changed';
        const deletion = transaction.deleteFrom('messages').where((eb) => eb.and(inChat));
        await deletion.where('seq', '>=', fromSeq).execute();
        await dropFromIndex(transaction, owner, id, fromSeq);
        await dropApprovals(transaction, owner, id);
        await updateChat(transaction, { owner, id })
          .set((eb) => ({ generation: eb('generation', '+', 1) }))
          .execute();
        return 'done';
      }),
    versions: (owner, id) => listVersions(db, owner, id),
    showVersion: (owner, id, seq) =>
      db.transaction().execute(async (transaction) => {
        if (!(await lockChat(transaction, dialect, owner, id))) return 'missing';
        if (await hasLiveRun(transaction, owner, id)) return 'running';
        if (!(await showVersion(transaction, owner, id, seq))) return 'missing';
        await indexChat(transaction, dialect, owner, id);
        await dropApprovals(transaction, owner, id);
        return 'done';
      }),
    trash: (owner, id, nowMs) =>
      db.transaction().execute(async (transaction) => {
        const update = updateChat(transaction, { owner, id }).set({ deleted_at: nowMs });
        const { numUpdatedRows } = await update.where('deleted_at', 'is', null).executeTakeFirst();
        await dropApprovals(transaction, owner, id);
        return numUpdatedRows > 0n;
      }),
    async restore(owner, id) {
      const update = updateChat(db, { owner, id }).set({ deleted_at: null });
      return (await update.where('deleted_at', 'is not', null).executeTakeFirst()).numUpdatedRows > 0n;
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
    /** Deletes the chats with their messages, runs and approvals. */
    purge: (owner, { chatId, beforeMs }) =>
      db.transaction().execute(async (transaction) => {
        let deletion = transaction
          .deleteFrom('chats')
          .where('owner', '=', owner)
          .where('deleted_at', 'is not', null)
          .where('deleted_at', '<', beforeMs);
        if (chatId !== undefined) deletion = deletion.where('id', '=', chatId);
        const ids = (await deletion.returning('id').execute()).map(({ id }) => id);
        for (const id of ids) {
          const inChat = { owner, chat_id: id };
          for (const table of ['messages', 'branch_messages', 'feedback'] as const) {
            await transaction
              .deleteFrom(table)
              .where((eb) => eb.and(inChat))
              .execute();
          }
          await dropFromIndex(transaction, owner, id);
          const runs = transaction
            .selectFrom('runs')
            .select('id')
            .where((eb) => eb.and(inChat));
          await transaction.deleteFrom('run_frames').where('run_id', 'in', runs).execute();
          const ended = transaction.deleteFrom('runs').where((eb) => eb.and(inChat));
          await ended.where('status', '<>', 'running').execute();
          await dropApprovals(transaction, owner, id);
        }
        return ids.length;
      }),
  };
}

function updateChat(db: Kysely<AgentSchema>, chat: { readonly owner: string; readonly id: string }) {
  return db.updateTable('chats').where((eb) => eb.and(chat));
}

/** Locks a chat outside the trash until the transaction ends; false when there is none. */
async function lockChat(
  db: Kysely<AgentSchema>,
  dialect: AgentDatabase['dialect'],
  owner: OwnerKey,
  id: string,
): Promise<boolean> {
  const select = db
    .selectFrom('chats')
    .select('id')
    .where((eb) => eb.and({ owner, id }))
    .where('deleted_at', 'is', null);
  return (await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirst()) !== undefined;
}

async function hasLiveRun(db: Kysely<AgentSchema>, owner: OwnerKey, id: string): Promise<boolean> {
  const runs = db.selectFrom('runs').select('id');
  return (await runs.where((eb) => eb.and({ owner, chat_id: id, status: 'running' })).executeTakeFirst()) !== undefined;
}

type Meta = Readonly<Record<string, unknown>>;

function mergeMeta(before: Meta, patch: Meta): Meta {
  // `fromEntries` treats `__proto__` like any other key.
  const merged = new Map([...Object.entries(before), ...Object.entries(patch)]);
  return Object.fromEntries([...merged].filter(([, value]) => value !== null));
}
