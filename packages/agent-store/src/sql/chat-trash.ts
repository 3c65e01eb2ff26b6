import type { AgentDatabase } from '../database/agent-database.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { dropApprovals } from './drop-approvals.ts';

/** Moves a chat to the trash and drops its approvals. False when there is none. */
export function trashChat({ db }: AgentDatabase, owner: OwnerKey, chatId: string, nowMs: number): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable('chats')
      .set({ deleted_at: nowMs })
      .where('owner', '=', owner)
      .where('id', '=', chatId)
      .where('deleted_at', 'is', null)
      .executeTakeFirst();
    await dropApprovals(transaction, owner, chatId);
    return numUpdatedRows > 0n;
  });
}

/** Permanently deletes trashed chats with their messages and runs, in one transaction; returns their number. */
export function purgeChats(
  { db }: AgentDatabase,
  owner: OwnerKey,
  { chatId, beforeMs }: { readonly chatId?: string; readonly beforeMs: number },
): Promise<number> {
  return db.transaction().execute(async (transaction) => {
    let deletion = transaction
      .deleteFrom('chats')
      .where('owner', '=', owner)
      .where('deleted_at', 'is not', null)
      .where('deleted_at', '<', beforeMs);
    if (chatId !== undefined) deletion = deletion.where('id', '=', chatId);
    const ids = (await deletion.returning('id').execute()).map(({ id }) => id);
    for (const id of ids) {
      await transaction.deleteFrom('messages').where('owner', '=', owner).where('chat_id', '=', id).execute();
      const runs = transaction.selectFrom('runs').select('id').where('owner', '=', owner).where('chat_id', '=', id);
      await transaction.deleteFrom('run_frames').where('run_id', 'in', runs).execute();
      await transaction
        .deleteFrom('runs')
        .where('owner', '=', owner)
        .where('chat_id', '=', id)
        .where('status', '<>', 'running')
        .execute();
      await dropApprovals(transaction, owner, id);
    }
    return ids.length;
  });
}
