import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { toStoredMessage } from './message-rows.ts';
import { searchedText, type TextQuery, tokensOf } from './search-text.ts';

type Dialect = AgentDatabase['dialect'];

/** Messages that are read at once. */
const MESSAGES_AT_ONCE = 200;

/** Adds the messages of a chat that the search index lacks, inside the caller's transaction. */
export async function indexChat(db: Kysely<AgentSchema>, dialect: Dialect, owner: OwnerKey, id: string): Promise<void> {
  const select = db.selectFrom('chats').select('indexed_seq').where('owner', '=', owner).where('id', '=', id);
  const chat = await (dialect === 'postgres' ? select.forUpdate() : select).executeTakeFirst();
  let last = chat?.indexed_seq;
  while (last !== undefined) {
    const rows = await db
      .selectFrom('messages')
      .selectAll()
      .where((eb) => eb.and({ owner, chat_id: id }))
      .where('seq', '>', last)
      .orderBy('seq')
      .limit(MESSAGES_AT_ONCE)
      .execute();
    for (const row of rows) {
      const isSearched = row.is_internal === 0 && (row.role === 'user' || row.role === 'assistant');
      if (isSearched) await addTokens(db, dialect, row, tokensOf(owner, searchedText(toStoredMessage(row))));
    }
    const end = rows.at(-1)?.seq;
    if (end === undefined || rows.length < MESSAGES_AT_ONCE) {
      // Messages that were removed in the meantime leave gaps: their numbers count as indexed.
      await db
        .updateTable('chats')
        .set((eb) => ({ indexed_seq: eb('next_seq', '-', 1) }))
        .where((eb) => eb.and({ owner, id }))
        .execute();
      return;
    }
    last = end;
  }
}

async function addTokens(
  db: Kysely<AgentSchema>,
  dialect: Dialect,
  { owner, chat_id, seq }: Pick<AgentSchema['messages'], 'owner' | 'chat_id' | 'seq'>,
  tokens: readonly string[],
): Promise<void> {
  if (dialect === 'postgres') {
    await sql`
      insert into search_messages (owner, chat_id, seq, tokens)
      values (${owner}, ${chat_id}, ${seq}, array_to_tsvector(string_to_array(${tokens.join(' ')}, ' ')))
      on conflict do nothing`.execute(db);
    return;
  }
  const { rows } = await sql<{ id: number }>`
    insert into search_messages (owner, chat_id, seq) values (${owner}, ${chat_id}, ${seq})
    on conflict do nothing returning id`.execute(db);
  const id = rows[0]?.id;
  if (id === undefined) return;
  await sql`insert into search_tokens (rowid, tokens) values (${id}, ${tokens.join(' ')})`.execute(db);
}

/** Removes the messages of a chat from `fromSeq` on from the search index. */
export async function dropFromIndex(db: Kysely<AgentSchema>, owner: OwnerKey, id: string, fromSeq = 0): Promise<void> {
  await sql`
    delete from search_messages where owner = ${owner} and chat_id = ${id} and seq >= ${fromSeq}
  `.execute(db);
}

/** Returns the ids of the owner's chats with messages that the index lacks, newest first. */
export async function unindexedChats(db: Kysely<AgentSchema>, owner: OwnerKey, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('chats')
    .select('id')
    .where('owner', '=', owner)
    .where(sql<boolean>`indexed_seq < next_seq - 1`)
    .orderBy('updated_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns a query of the messages with all tokens: `chat_id`, and `seqs`, their numbers separated by commas. */
export function matchingMessages(
  dialect: Dialect,
  owner: OwnerKey,
  { tokens }: TextQuery,
): RawBuilder<{ chat_id: string; seqs: string }> {
  if (dialect === 'postgres') {
    const query = tokens.map(({ token, isPrefix }) => `'${token}'${isPrefix ? ':*' : ''}`).join(' & ');
    return sql`(
      select chat_id, string_agg(seq::text, ',') as seqs from search_messages
      where tokens @@ ${query}::tsquery and owner = ${owner} group by chat_id)`;
  }
  const query = tokens.map(({ token, isPrefix }) => `"${token}"${isPrefix ? '*' : ''}`).join(' AND ');
  return sql`(
    select found.chat_id, group_concat(found.seq) as seqs
    from search_tokens join search_messages as found on found.id = search_tokens.rowid
    where search_tokens match ${query} and found.owner = ${owner} group by found.chat_id)`;
}
