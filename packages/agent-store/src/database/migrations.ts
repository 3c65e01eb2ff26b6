import type { Migration } from '@berth/sqlite';
import { type CreateTableBuilder, type Kysely, sql } from 'kysely';
import type { AgentDatabase } from './agent-database.ts';
import { COLUMNS, type TableName } from './schema.ts';
import { createSearchTables } from './search-tables.ts';

/** The primary key of each table; the order is that of its index. */
const KEYS: { readonly [Table in TableName]: readonly (keyof (typeof COLUMNS)[Table] & string)[] } = {
  chats: ['owner', 'id'],
  messages: ['owner', 'chat_id', 'seq'],
  runs: ['id'],
  run_frames: ['run_id', 'first_seq'],
  trash: ['owner', 'id'],
  shares: ['owner', 'token_hash'],
  tool_modes: ['owner', 'tool'],
  approvals: ['owner', 'chat_id', 'key'],
  app_data: ['owner', 'slug', 'key', 'who'],
  app_data_versions: ['owner', 'slug', 'who'],
  workspaces: ['tenant', 'id'],
  workspace_members: ['tenant', 'workspace_id', 'user_id'],
  workspace_people: ['tenant', 'user_id'],
  connector_grants: ['owner', 'connector'],
  connector_switches: ['level', 'owner', 'connector'],
  connector_authorizations: ['state_hash'],
  connector_clients: ['id'],
  connector_lists: ['owner', 'connector'],
  connector_calls: ['owner', 'connector'],
  usage_counts: ['payer', 'period'],
  tasks: ['id'],
  memories: ['owner', 'id'],
  branch_messages: ['owner', 'chat_id', 'seq'],
  feedback: ['owner', 'chat_id', 'seq'],
};

/** Returns the migrations of an agent's schema, in order. A migration is never changed after a release. */
export function agentMigrations(dialect: AgentDatabase['dialect']): readonly Migration[] {
  // Postgres sorts text by the language of the database; keys and cursors are compared as bytes, as SQLite does.
  const text = dialect === 'sqlite' ? sql`text` : sql`text collate "C"`;
  const create = async (db: Kysely<unknown>, ...tables: readonly TableName[]) => {
    for (const table of tables) {
      let builder: CreateTableBuilder<string, string> = db.schema.createTable(table);
      for (const [column, type] of Object.entries(COLUMNS[table])) {
        builder = builder.addColumn(column, type.startsWith('text') ? text : 'bigint', (one) =>
          type.endsWith('?') ? one : one.notNull(),
        );
      }
      await builder.addPrimaryKeyConstraint(`${table}_key`, [...KEYS[table]]).execute();
    }
  };
  return [
    {
      id: 1,
      name: 'agent',
      async up(db) {
        await create(db, 'chats', 'messages', 'runs', 'run_frames', 'trash', 'shares', 'tool_modes', 'approvals');
        await create(db, 'app_data', 'app_data_versions');
        // Covers the search: with 100,000 chats, a search reads only the index, in 9 ms instead of 130.
        await sql`
          create index chats_newest on chats (owner, updated_at desc, id desc, title_folded) where deleted_at is null
        `.execute(db);
        // Makes a second live run of a chat impossible.
        await sql`create unique index runs_live on runs (owner, chat_id) where status = 'running'`.execute(db);
        await sql`create index runs_heartbeat on runs (heartbeat_at) where status = 'running'`.execute(db);
        await sql`create index runs_stop on runs (instance) where status = 'running' and stop_requested = 1`.execute(
          db,
        );
        await sql`create index runs_frames on runs (frames_until) where frames_until is not null`.execute(db);
        await sql`create index runs_chat on runs (owner, chat_id, started_at desc, id desc)`.execute(db);
      },
    },
    {
      id: 2,
      name: 'workspaces',
      async up(db) {
        await create(db, 'workspaces', 'workspace_members', 'workspace_people');
        await sql`
          create index workspaces_removed on workspaces (removed_at) where removed_at is not null and is_purged = 0
        `.execute(db);
        await sql`
          create index workspace_members_of on workspace_members (tenant, user_id, workspace_id, role)
        `.execute(db);
      },
    },
    {
      id: 3,
      name: 'connectors',
      async up(db) {
        await create(db, 'connector_grants', 'connector_switches', 'connector_authorizations', 'connector_clients');
        await sql`create index connector_authorizations_expiry on connector_authorizations (expires_at)`.execute(db);
      },
    },
    {
      id: 4,
      name: 'connector lists',
      async up(db) {
        await create(db, 'connector_lists');
        await sql`create index connector_lists_read on connector_lists (read_at)`.execute(db);
        await db.schema.alterTable('approvals').addColumn('setting_key', 'text').execute();
      },
    },
    { id: 5, name: 'connector calls', up: (db) => create(db, 'connector_calls') },
    {
      id: 6,
      name: 'tool definitions',
      /** Adds the definition for which a user approved a tool permanently; null: any definition. */
      up: (db) => db.schema.alterTable('tool_modes').addColumn('definition_hash', 'text').execute(),
    },
    {
      id: 7,
      name: 'tasks',
      async up(db) {
        await create(db, 'tasks');
        await sql`create index tasks_due on tasks (run_at, id) where status = 'pending'`.execute(db);
        await sql`create index tasks_holder on tasks (holder) where status = 'running'`.execute(db);
        await sql`create index tasks_lease on tasks (lease_until) where status = 'running'`.execute(db);
        await sql`create index tasks_concurrency on tasks (concurrency_key) where status = 'running'`.execute(db);
        // Makes it impossible that more tasks of a key run than its limit.
        await sql`create unique index tasks_slot on tasks (slot) where status = 'running'`.execute(db);
        await sql`
          create unique index tasks_once on tasks (owner, name, idempotency_key) where idempotency_key is not null
        `.execute(db);
        await sql`create index tasks_of on tasks (owner, id)`.execute(db);
        await sql`create index tasks_expiry on tasks (expires_at) where expires_at is not null`.execute(db);
      },
    },
    { id: 8, name: 'usage counts', up: (db) => create(db, 'usage_counts') },
    {
      id: 10,
      name: 'sealed tokens of shares, and schemas of approvals',
      /** Earlier shares have no sealed token, and earlier approvals no schema. */
      async up(db) {
        await db.schema.alterTable('shares').addColumn('sealed_token', 'text').execute();
        await sql`create index shares_token on shares (token_hash)`.execute(db);
        await db.schema.alterTable('approvals').addColumn('input_schema', 'text').execute();
      },
    },
    {
      id: 11,
      name: 'turns that go on',
      /** Adds what another process, or a decision, needs to go on with a turn. SQLite adds one column per statement. */
      async up(db) {
        const runs = () => db.schema.alterTable('runs');
        await runs()
          .addColumn('attempt', 'bigint', (one) => one.notNull().defaultTo(1))
          .execute();
        await runs()
          .addColumn('resumed_after', 'text', (one) => one.notNull().defaultTo('[]'))
          .execute();
        await runs().addColumn('request', 'text').execute();
        await runs()
          .addColumn('cost_micro_usd', 'bigint', (one) => one.notNull().defaultTo(0))
          .execute();
        const approvals = () => db.schema.alterTable('approvals');
        await approvals().addColumn('workspace', 'text').execute();
        await approvals().addColumn('request', 'text').execute();
        await sql`create index approvals_by_key on approvals (key)`.execute(db);
        await sql`create index approvals_of on approvals (workspace, expires_at) where workspace is not null`.execute(
          db,
        );
      },
    },
    { id: 12, name: 'memories', up: (db) => create(db, 'memories') },
    {
      id: 13,
      name: 'reasons of decisions',
      up: (db) => db.schema.alterTable('approvals').addColumn('reason', 'text').execute(),
    },
    {
      id: 14,
      name: 'search and versions of messages',
      /** Earlier chats are indexed when their owner searches. */
      async up(db) {
        await db.schema
          .alterTable('chats')
          .addColumn('indexed_seq', 'bigint', (one) => one.notNull().defaultTo(0))
          .execute();
        await sql`
          create index chats_unindexed on chats (owner, updated_at desc) where indexed_seq < next_seq - 1
        `.execute(db);
        await createSearchTables(db, dialect);
        await create(db, 'branch_messages');
        await sql`create index branch_messages_of on branch_messages (owner, chat_id, parent_seq)`.execute(db);
      },
    },
    { id: 15, name: 'feedback', up: (db) => create(db, 'feedback') },
    {
      id: 16,
      name: 'profiles of people',
      /** People get their name and e-mail address with their next request. SQLite adds one column per statement. */
      async up(db) {
        await db.schema.alterTable('workspace_people').addColumn('name', 'text').execute();
        await db.schema.alterTable('workspace_people').addColumn('email', 'text').execute();
      },
    },
    {
      id: 17,
      name: 'origins of titles',
      /** Earlier chats keep their titles. */
      up: (db) => db.schema.alterTable('chats').addColumn('title_from', 'text').execute(),
    },
  ];
}
