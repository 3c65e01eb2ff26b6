import type { Migration } from '@berth/sqlite';
import { type Kysely, sql } from 'kysely';
import type { AgentDatabase } from './agent-database.ts';
import { createConnectorCallTables } from './connector-call-tables.ts';
import { createConnectorListTables } from './connector-list-tables.ts';
import { createConnectorTables } from './connector-tables.ts';
import { tableCreator } from './table-creator.ts';
import { createWorkspaceTables } from './workspace-tables.ts';

/** Returns the migrations of an agent's schema, in order. A migration is never changed after a release. */
export function agentMigrations(dialect: AgentDatabase['dialect']): readonly Migration[] {
  // Postgres sorts text by the language of the database; keys and cursors are compared as bytes, as SQLite does.
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`;
  return [
    { id: 1, name: 'agent', up: (db) => createTables(db, text) },
    { id: 2, name: 'workspaces', up: (db) => createWorkspaceTables(db, tableCreator(db, text)) },
    { id: 3, name: 'connectors', up: (db) => createConnectorTables(db, tableCreator(db, text)) },
    { id: 4, name: 'connector lists', up: (db) => createConnectorListTables(db, tableCreator(db, text)) },
    { id: 5, name: 'connector calls', up: (db) => createConnectorCallTables(tableCreator(db, text)) },
    { id: 6, name: 'tool definitions', up: addToolDefinitions },
  ];
}

/** Adds the definition for which a user approved a tool permanently; null: any definition. */
async function addToolDefinitions(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('tool_modes').addColumn('definition_hash', 'text').execute();
}

type Text = ReturnType<typeof sql>;

async function createTables(db: Kysely<unknown>, text: Text): Promise<void> {
  const table = tableCreator(db, text);
  await table(
    'chats',
    {
      owner: 'text',
      id: 'text',
      title: 'text',
      title_folded: 'text',
      created_at: 'integer',
      updated_at: 'integer',
      favorited_at: 'integer?',
      cost_micro_usd: 'integer',
      meta: 'text',
      generation: 'integer',
      next_seq: 'integer',
      last_run_id: 'text?',
      deleted_at: 'integer?',
    },
    ['owner', 'id'],
  );
  // Covers the search: with 100,000 chats, a search reads only the index, in 9 ms instead of 130.
  await sql`
    create index chats_newest on chats (owner, updated_at desc, id desc, title_folded) where deleted_at is null
  `.execute(db);
  await table(
    'messages',
    {
      owner: 'text',
      chat_id: 'text',
      seq: 'integer',
      role: 'text',
      content: 'text',
      parts: 'text?',
      attachments: 'text?',
      is_internal: 'integer',
      run_id: 'text?',
      status: 'text?',
      model_data: 'text?',
      created_at: 'integer',
    },
    ['owner', 'chat_id', 'seq'],
  );
  await table(
    'runs',
    {
      id: 'text',
      owner: 'text',
      chat_id: 'text',
      status: 'text',
      instance: 'text',
      started_at: 'integer',
      heartbeat_at: 'integer',
      stop_requested: 'integer',
      frames_until: 'integer?',
    },
    ['id'],
  );
  // Makes a second live run of a chat impossible.
  await sql`create unique index runs_live on runs (owner, chat_id) where status = 'running'`.execute(db);
  await sql`create index runs_heartbeat on runs (heartbeat_at) where status = 'running'`.execute(db);
  await sql`create index runs_stop on runs (instance) where status = 'running' and stop_requested = 1`.execute(db);
  await sql`create index runs_frames on runs (frames_until) where frames_until is not null`.execute(db);
  await sql`create index runs_chat on runs (owner, chat_id, started_at desc, id desc)`.execute(db);
  await table('run_frames', { run_id: 'text', first_seq: 'integer', last_seq: 'integer', frames: 'text' }, [
    'run_id',
    'first_seq',
  ]);
  await table(
    'trash',
    {
      owner: 'text',
      id: 'text',
      path: 'text',
      kind: 'text',
      deleted_by: 'text',
      deleted_at: 'integer',
      reason: 'text',
    },
    ['owner', 'id'],
  );
  await table(
    'shares',
    {
      owner: 'text',
      token_hash: 'text',
      path: 'text',
      audience: 'text',
      is_live: 'integer',
      title: 'text',
      created_at: 'integer',
      expires_at: 'integer?',
      snapshot: 'text',
    },
    ['owner', 'token_hash'],
  );
  await table('tool_modes', { owner: 'text', tool: 'text', mode: 'text' }, ['owner', 'tool']);
  await table(
    'approvals',
    {
      owner: 'text',
      key: 'text',
      chat_id: 'text',
      call_id: 'text',
      tool: 'text',
      label: 'text',
      args: 'text',
      definition_hash: 'text',
      expires_at: 'integer',
      decision: 'text?',
    },
    ['owner', 'chat_id', 'key'],
  );
  await table(
    'app_data',
    { owner: 'text', slug: 'text', who: 'text', key: 'text', value: 'text', version: 'integer' },
    ['owner', 'slug', 'key', 'who'],
  );
  await table('app_data_versions', { owner: 'text', slug: 'text', who: 'text', version: 'integer' }, [
    'owner',
    'slug',
    'who',
  ]);
}
