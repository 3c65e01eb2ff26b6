import type { Kysely } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { NewMessage, StoredMessage } from '../ports/stored-message.ts';

/** Maximum rows per statement, far below the parameter limit of either database. */
const ROWS_AT_ONCE = 500;

/**
 * Adds messages to an existing chat, inside the caller's transaction. The update of the chat locks its row, so that
 * sequence numbers are unique.
 */
export async function insertMessages(
  db: Kysely<AgentSchema>,
  owner: OwnerKey,
  chatId: string,
  messages: readonly NewMessage[],
  nowMs: number,
): Promise<void> {
  if (messages.length === 0) return;
  const chat = await db
    .updateTable('chats')
    .set((eb) => ({ next_seq: eb('next_seq', '+', messages.length) }))
    .where('owner', '=', owner)
    .where('id', '=', chatId)
    .returning('next_seq')
    .executeTakeFirst();
  if (!chat) return;
  const firstSeq = chat.next_seq - messages.length;
  const rows = messages.map((message, index) => toMessageRow(owner, chatId, firstSeq + index, message, nowMs));
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    await db
      .insertInto('messages')
      .values(rows.slice(start, start + ROWS_AT_ONCE))
      .execute();
  }
}

/** Converts a message to a row. */
export function toMessageRow(
  owner: OwnerKey,
  chatId: string,
  seq: number,
  message: NewMessage,
  nowMs: number,
): AgentSchema['messages'] {
  return {
    owner,
    chat_id: chatId,
    seq,
    role: message.role,
    content: JSON.stringify(message.content),
    parts: toJsonColumn(message.parts),
    attachments: toJsonColumn(message.attachments),
    is_internal: message.isInternal === true ? 1 : 0,
    run_id: message.runId ?? null,
    status: message.status ?? null,
    model_data: toJsonColumn(message.modelData),
    created_at: nowMs,
  };
}

/** Converts a row to a message. */
export function toStoredMessage(row: AgentSchema['messages']): StoredMessage {
  const parts = fromJsonColumn<NonNullable<StoredMessage['parts']>>(row.parts);
  const attachments = fromJsonColumn<NonNullable<StoredMessage['attachments']>>(row.attachments);
  const modelData = fromJsonColumn(row.model_data);
  return {
    seq: row.seq,
    role: row.role,
    content: JSON.parse(row.content) as StoredMessage['content'],
    ...(parts && { parts }),
    ...(attachments && { attachments }),
    ...(row.is_internal === 1 && { isInternal: true }),
    ...(row.run_id !== null && { runId: row.run_id }),
    ...(row.status !== null && { status: row.status }),
    ...(modelData !== undefined && { modelData }),
    createdAtMs: row.created_at,
  };
}

/** Converts a value to a JSON column; undefined becomes NULL. */
function toJsonColumn(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Parses a column that {@link toJsonColumn} wrote; undefined for NULL. */
function fromJsonColumn<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : (JSON.parse(text) as Value);
}
