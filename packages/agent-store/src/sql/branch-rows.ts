import { type Kysely, sql } from 'kysely';
import type { AgentSchema } from '../database/schema.ts';
import type { MessageVersions } from '../ports/chat-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { dropFromIndex } from './search-rows.ts';

type Db = Kysely<AgentSchema>;

/** The columns of a message. */
const COLUMNS = sql.raw(
  'owner, chat_id, seq, role, content, parts, attachments, is_internal, run_id, status, model_data, created_at',
);

/**
 * Keeps the messages from `fromSeq` on aside, as an earlier version, inside the caller's transaction. Each remembers the message that
 * it followed, so that versions of versions are kept too. Readers of the chat start over.
 */
export async function setAside(db: Db, owner: OwnerKey, id: string, fromSeq: number): Promise<void> {
  await sql`
    insert into branch_messages (${COLUMNS}, parent_seq)
    select ${COLUMNS}, coalesce((
      select max(earlier.seq) from messages as earlier
      where earlier.owner = messages.owner and earlier.chat_id = messages.chat_id and earlier.seq < messages.seq
    ), 0)
    from messages where owner = ${owner} and chat_id = ${id} and seq >= ${fromSeq}`.execute(db);
  await sql`delete from messages where owner = ${owner} and chat_id = ${id} and seq >= ${fromSeq}`.execute(db);
  await dropFromIndex(db, owner, id, fromSeq);
  await db
    .updateTable('chats')
    .set((eb) => ({ generation: eb('generation', '+', 1) }))
    .where((eb) => eb.and({ owner, id }))
    .execute();
}

/** Returns the messages of the chat that have several versions. */
export async function listVersions(db: Db, owner: OwnerKey, id: string): Promise<readonly MessageVersions[]> {
  const { rows } = await sql<{ seq: number; shown: number | null }>`
    select seq, (
      select min(messages.seq) from messages
      where messages.owner = ${owner} and messages.chat_id = ${id} and messages.seq > parent_seq
    ) as shown
    from branch_messages
    where owner = ${owner} and chat_id = ${id} and role = 'user' and is_internal = 0 and (parent_seq = 0 or exists (
      select 1 from messages where messages.owner = ${owner} and messages.chat_id = ${id} and messages.seq = parent_seq
    ))
    order by seq`.execute(db);
  const versions = new Map<number, number[]>();
  for (const { seq, shown } of rows) {
    if (shown !== null) versions.set(shown, [...(versions.get(shown) ?? [shown]), seq]);
  }
  return [...versions]
    .map(([seq, all]) => ({ seq, versions: all.sort((one, other) => one - other) }))
    .sort((one, other) => one.seq - other.seq);
}

/**
 * Shows the version `seq` and what followed it, and keeps what is shown now aside, inside the caller's transaction. If several
 * messages followed one, the newest is shown. False when the chat has no such version at a place that it shows.
 */
export async function showVersion(db: Db, owner: OwnerKey, id: string, seq: number): Promise<boolean> {
  const shown = (await listVersions(db, owner, id)).find(({ versions }) => versions.includes(seq));
  if (!shown || shown.seq === seq) return false;
  const later = await db
    .selectFrom('branch_messages')
    .select(['seq', 'parent_seq'])
    .where((eb) => eb.and({ owner, chat_id: id }))
    .where('seq', '>=', seq)
    .orderBy('seq')
    .execute();
  const next = new Map(later.map((row) => [row.parent_seq, row.seq]));
  const chain: number[] = [];
  for (let at: number | undefined = seq; at !== undefined; at = next.get(at)) chain.push(at);
  await setAside(db, owner, id, shown.seq);
  // SQLite allows 32,766 values in a statement; a chat of more messages is shown in several.
  for (let start = 0; start < chain.length; start += 1_000) {
    const seqs = sql.join(chain.slice(start, start + 1_000));
    await sql`
      insert into messages (${COLUMNS}) select ${COLUMNS} from branch_messages
      where owner = ${owner} and chat_id = ${id} and seq in (${seqs})`.execute(db);
    await sql`
      delete from branch_messages where owner = ${owner} and chat_id = ${id} and seq in (${seqs})`.execute(db);
  }
  await db
    .updateTable('chats')
    .set({ indexed_seq: seq - 1 })
    .where((eb) => eb.and({ owner, id }))
    .execute();
  return true;
}
