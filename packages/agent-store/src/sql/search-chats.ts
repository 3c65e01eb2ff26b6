import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentSchema } from '../database/schema.ts';
import type { ChatMatch, ListChats, StoredChat } from '../ports/chat-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import { foldTitle, selectChats, toStoredChat } from './chat-rows.ts';
import { toStoredMessage } from './message-rows.ts';
import { indexChat, matchingMessages, unindexedChats } from './search-rows.ts';
import { excerptOf, parseTextQuery, searchedText } from './search-text.ts';

/** Chats that are indexed before a search answers. Others, from before there was an index, follow in the background. */
const INDEXED_AT_ONCE = 50;
/** Chats whose messages are read at once: a condition of SQLite has at most 1,000 parts. */
const CHATS_AT_ONCE = 50;
/** Messages of a chat that are read for an excerpt. More have its tokens without containing the words only in very long chats. */
const CANDIDATES = 5;

type Db = Kysely<AgentSchema>;

/** Returns the search of a {@link ChatStore}: by titles, and by the text of messages. */
export function createChatSearch(db: Db, dialect: AgentDatabase['dialect']) {
  /** Owners whose earlier chats are being indexed. */
  const catchingUp = new Set<OwnerKey>();

  /** Indexes the owner's newest chats that are not; returns whether there may be more. */
  const catchUp = async (owner: OwnerKey): Promise<boolean> => {
    const ids = await unindexedChats(db, owner, INDEXED_AT_ONCE);
    for (const id of ids) await db.transaction().execute((transaction) => indexChat(transaction, dialect, owner, id));
    return ids.length === INDEXED_AT_ONCE;
  };
  const catchUpInBackground = async (owner: OwnerKey): Promise<void> => {
    if (catchingUp.has(owner)) return;
    catchingUp.add(owner);
    try {
      while (await catchUp(owner));
    } catch {
      // The database is closed or away: the next search goes on.
    } finally {
      catchingUp.delete(owner);
    }
  };

  return async (owner: OwnerKey, query: string, { limit, after }: Omit<ListChats, 'query'>): Promise<StoredChat[]> => {
    if (!catchingUp.has(owner) && (await catchUp(owner))) void catchUpInBackground(owner);
    const words = parseTextQuery(owner, query);
    const title = foldTitle(query);
    // Uses the text's position, since LIKE treats case differently in the two databases.
    const find = dialect === 'sqlite' ? sql`instr` : sql`strpos`;
    const inTitle = sql<boolean>`${find}(chats.title_folded, ${title}) > 0`;
    const found: StoredChat[] = [];
    let place = after;
    while (found.length < limit) {
      let select = selectChats(db, owner).orderBy('chats.updated_at', 'desc').orderBy('chats.id', 'desc');
      if (place) {
        const { updatedAtMs, id } = place;
        select = select.where(sql<boolean>`(chats.updated_at, chats.id) < (${updatedAtMs}, ${id})`);
      }
      // The whole page at once: each statement finds all messages with the words, which may be those of every chat.
      const batch = limit - found.length;
      const rows = words
        ? await select
            .leftJoin(matchingMessages(dialect, owner, words).as('found'), 'found.chat_id', 'chats.id')
            .select(['found.seqs'])
            .where(sql<boolean>`(${inTitle} or found.chat_id is not null)`)
            .limit(batch)
            .execute()
        : (await select.where(inTitle).limit(batch).execute()).map((row) => ({ ...row, seqs: null }));
      const matches = await readMatches(db, owner, rows, words?.words ?? []);
      for (const row of rows) {
        const match = matches.get(row.id);
        if (match || row.title_folded.includes(title)) found.push({ ...toStoredChat(row), ...(match && { match }) });
      }
      const last = rows.at(-1);
      if (!last || rows.length < batch) break;
      place = { updatedAtMs: last.updated_at, id: last.id };
    }
    return found;
  };
}

/** Returns the newest message of each chat that contains all words. */
async function readMatches(
  db: Db,
  owner: OwnerKey,
  rows: readonly { readonly id: string; readonly seqs: string | null }[],
  words: readonly string[],
): Promise<ReadonlyMap<string, ChatMatch>> {
  const candidates = rows.flatMap(({ id, seqs }) =>
    (seqs ?? '')
      .split(',')
      .filter(Boolean)
      .map(Number)
      .sort((one, other) => other - one)
      .slice(0, CANDIDATES)
      .map((seq) => ({ chat_id: id, seq })),
  );
  const matches = new Map<string, ChatMatch>();
  const atOnce = CHATS_AT_ONCE * CANDIDATES;
  for (let start = 0; start < candidates.length; start += atOnce) {
    const some = candidates.slice(start, start + atOnce);
    const messages = await db
      .selectFrom('messages')
      .selectAll()
      .where('owner', '=', owner)
      .where((eb) => eb.or(some.map((one) => eb.and(one))))
      .orderBy('seq', 'desc')
      .execute();
    for (const row of messages) {
      // The candidates of a chat may be in two readings, the newer ones first.
      if (matches.has(row.chat_id)) continue;
      const excerpt = excerptOf(searchedText(toStoredMessage(row)), words);
      const { role } = row;
      if (excerpt && (role === 'user' || role === 'assistant'))
        matches.set(row.chat_id, { seq: row.seq, role, excerpt });
    }
  }
  return matches;
}
