import type { AgentDatabase } from '../database/agent-database.ts';
import type { ChatPatch, StoredChat } from '../ports/chat-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { ensureChat, foldTitle, selectChats, toStoredChat } from './chat-rows.ts';

/** Merges `patch` into a chat, creating it when there is none, in one transaction. */
export function patchChat(
  { db, dialect }: AgentDatabase,
  owner: OwnerKey,
  chatId: string,
  patch: ChatPatch,
  nowMs: number,
): Promise<StoredChat> {
  return db.transaction().execute(async (transaction) => {
    await ensureChat(transaction, owner, chatId, '', nowMs);
    const select = transaction.selectFrom('chats').select('meta').where('owner', '=', owner).where('id', '=', chatId);
    const { meta } = await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirstOrThrow();
    await transaction
      .updateTable('chats')
      .set({
        meta: JSON.stringify(mergeMeta(JSON.parse(meta) as Meta, patch.meta ?? {})),
        ...(patch.title !== undefined && {
          title: patch.title ?? '',
          title_folded: foldTitle(patch.title ?? ''),
        }),
        ...(patch.favoritedAtMs !== undefined && { favorited_at: patch.favoritedAtMs }),
      })
      .where('owner', '=', owner)
      .where('id', '=', chatId)
      .execute();
    const row = await selectChats(transaction, owner).where('chats.id', '=', chatId).executeTakeFirstOrThrow();
    return toStoredChat(row);
  });
}

type Meta = Readonly<Record<string, unknown>>;

function mergeMeta(before: Meta, patch: Meta): Meta {
  // `fromEntries` treats `__proto__` like any other key.
  const merged = new Map([...Object.entries(before), ...Object.entries(patch)]);
  return Object.fromEntries([...merged].filter(([, value]) => value !== null));
}
