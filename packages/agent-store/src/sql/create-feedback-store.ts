import { sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { FeedbackStore, StoredFeedback } from '../ports/feedback-store.ts';
import { endOfPrefix, ownerKeyPrefix } from '../ports/owner-key.ts';

/** Creates the store of people's opinions of answers. */
export function createFeedbackStore({ db }: AgentDatabase): FeedbackStore {
  return {
    async put({ owner, chatId, seq, rating, note, question, answer }, nowMs) {
      const said = { rating: rating ?? null, note, question, answer, updated_at: nowMs };
      const row = await db
        .insertInto('feedback')
        .values({ owner, chat_id: chatId, seq, created_at: nowMs, ...said })
        .onConflict((conflict) => conflict.columns(['owner', 'chat_id', 'seq']).doUpdateSet(said))
        .returningAll()
        .executeTakeFirstOrThrow();
      return toFeedback(row);
    },
    async remove(owner, chatId, seq) {
      const deletion = db.deleteFrom('feedback').where((eb) => eb.and({ owner, chat_id: chatId, seq }));
      return (await deletion.executeTakeFirst()).numDeletedRows > 0n;
    },
    async listOf(owner, chatId) {
      const rows = db.selectFrom('feedback').selectAll();
      return (await rows.where((eb) => eb.and({ owner, chat_id: chatId })).execute()).map(toFeedback);
    },
    async listAll({ of, limit, after, rating }) {
      let select = db
        .selectFrom('feedback')
        .innerJoin('chats', (join) =>
          join.onRef('chats.owner', '=', 'feedback.owner').onRef('chats.id', '=', 'feedback.chat_id'),
        )
        .where('chats.deleted_at', 'is', null)
        .selectAll('feedback');
      if ('owner' in of) select = select.where('feedback.owner', '=', of.owner);
      else {
        const prefix = ownerKeyPrefix(of.orgId);
        select = select.where(sql<boolean>`feedback.owner >= ${prefix} and feedback.owner < ${endOfPrefix(prefix)}`);
      }
      if (rating) select = select.where('feedback.rating', '=', rating);
      if (after) {
        const { updatedAtMs, owner, chatId, seq } = after;
        select = select.where(
          sql<boolean>`(feedback.updated_at, feedback.owner, feedback.chat_id, feedback.seq)
            > (${updatedAtMs}, ${owner}, ${chatId}, ${seq})`,
        );
      }
      for (const column of ['updated_at', 'owner', 'chat_id', 'seq'] as const) {
        select = select.orderBy(`feedback.${column}`);
      }
      return (await select.limit(limit).execute()).map(toFeedback);
    },
  };
}

function toFeedback(row: AgentSchema['feedback']): StoredFeedback {
  return {
    owner: row.owner,
    chatId: row.chat_id,
    seq: row.seq,
    ...(row.rating !== null && { rating: row.rating }),
    note: row.note,
    question: row.question,
    answer: row.answer,
    createdAtMs: row.created_at,
    updatedAtMs: row.updated_at,
  };
}
