import type { AgentDatabase } from '../database/agent-database.ts';
import type { ChatStore } from '../ports/chat-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { dropApprovals } from './drop-approvals.ts';

/** Removes the newest messages of a chat in one transaction, if the chat is still as the caller saw it. */
export function truncateChat(
  { db, dialect }: AgentDatabase,
  owner: OwnerKey,
  chatId: string,
  { fromSeq, lastSeq }: { readonly fromSeq: number; readonly lastSeq: number; readonly nowMs: number },
): ReturnType<ChatStore['truncate']> {
  return db.transaction().execute(async (transaction) => {
    const select = transaction
      .selectFrom('chats')
      .select('id')
      .where('owner', '=', owner)
      .where('id', '=', chatId)
      .where('deleted_at', 'is', null);
    if (!(await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirst())) return 'missing';
    const live = await transaction
      .selectFrom('runs')
      .select('id')
      .where('owner', '=', owner)
      .where('chat_id', '=', chatId)
      .where('status', '=', 'running')
      .executeTakeFirst();
    if (live) return 'running';
    const messages = transaction.selectFrom('messages').where('owner', '=', owner).where('chat_id', '=', chatId);
    const { newest } = await messages.select((eb) => eb.fn.max('seq').as('newest')).executeTakeFirstOrThrow();
    if (newest !== lastSeq) return 'changed';
    await transaction
      .deleteFrom('messages')
      .where('owner', '=', owner)
      .where('chat_id', '=', chatId)
      .where('seq', '>=', fromSeq)
      .execute();
    await dropApprovals(transaction, owner, chatId);
    await transaction
      .updateTable('chats')
      .set((eb) => ({ generation: eb('generation', '+', 1) }))
      .where('owner', '=', owner)
      .where('id', '=', chatId)
      .execute();
    return 'done';
  });
}
