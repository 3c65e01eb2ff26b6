import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';

/**
 * Takes back what a person was asked and what they said to it, because what it was about is gone: the agent asks again.
 * Of one chat, or of all.
 */
export async function dropApprovals(db: Kysely<AgentSchema>, owner: OwnerKey, chatId?: string): Promise<void> {
  const deletion = db.deleteFrom('approvals').where('owner', '=', owner);
  await (chatId === undefined ? deletion : deletion.where('chat_id', '=', chatId)).execute();
}
