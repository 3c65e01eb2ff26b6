import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';

/**
 * Deletes the approvals of one chat, or of all, when the calls that they were for are gone. The agent asks for approval
 * again.
 */
export async function dropApprovals(db: Kysely<AgentSchema>, owner: OwnerKey, chatId?: string): Promise<void> {
  const deletion = db.deleteFrom('approvals').where('owner', '=', owner);
  await (chatId === undefined ? deletion : deletion.where('chat_id', '=', chatId)).execute();
}
