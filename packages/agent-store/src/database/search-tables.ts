import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from './agent-database.ts';

/**
 * Creates the search index: `search_messages` has a row for each indexed message. Its tokens are in `search_tokens`, an FTS5 table
 * without content, in SQLite, and in the column `tokens` in Postgres. Neither needs an extension.
 * Source: docs/decisions/0059-search-and-versions-of-chats.md.
 */
export async function createSearchTables(db: Kysely<unknown>, dialect: AgentDatabase['dialect']): Promise<void> {
  if (dialect === 'postgres') {
    await sql`
      create table search_messages (
        owner text collate "C" not null, chat_id text collate "C" not null, seq bigint not null,
        tokens tsvector not null, primary key (owner, chat_id, seq)
      )`.execute(db);
    await sql`create index search_messages_tokens on search_messages using gin (tokens)`.execute(db);
    return;
  }
  await sql`
    create table search_messages (
      id integer primary key, owner text not null, chat_id text not null, seq integer not null,
      unique (owner, chat_id, seq)
    )`.execute(db);
  await sql`
    create virtual table search_tokens using fts5(
      tokens, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii'
    )`.execute(db);
  await sql`
    create trigger search_messages_deleted after delete on search_messages begin
      delete from search_tokens where rowid = old.id;
    end`.execute(db);
}
