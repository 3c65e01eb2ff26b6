import type { ToolMode } from '@berth/contract/agent';
import type { StoredApproval } from '../ports/approval-store.ts';
import type { SwitchLevel } from '../ports/connector-stores.ts';
import type { Rating } from '../ports/feedback-store.ts';
import type { StoredMemory } from '../ports/memory-store.ts';
import type { OwnerKey } from '../ports/owner-key.ts';
import type { RunStatus } from '../ports/run-store.ts';
import type { NewMessage } from '../ports/stored-message.ts';
import type { TaskStatus } from '../ports/task-store.ts';
import type { TrashEntry } from '../ports/trash-store.ts';
import type { StoredRole } from '../ports/workspace-store.ts';

/** The type of a column; a trailing `?` makes it nullable. */
export type ColumnType = 'text' | 'text?' | 'integer' | 'integer?';

/** The columns of a message. */
const MESSAGE = {
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
} as const satisfies Readonly<Record<string, ColumnType>>;

/**
 * The columns of each table as its migration creates them, which never changes: later migrations add columns, and
 * {@link AgentSchema} lists those. Times are in milliseconds since the epoch, money in millionths of a US dollar; JSON
 * is stored as text.
 */
export const COLUMNS = {
  chats: {
    owner: 'text',
    id: 'text',
    title: 'text',
    /** The title for searches, in lower case, since the two databases fold letters differently. */
    title_folded: 'text',
    created_at: 'integer',
    updated_at: 'integer',
    favorited_at: 'integer?',
    cost_micro_usd: 'integer',
    meta: 'text',
    generation: 'integer',
    /** Sequence number of the next message. */
    next_seq: 'integer',
    last_run_id: 'text?',
    deleted_at: 'integer?',
  },
  messages: MESSAGE,
  runs: {
    id: 'text',
    owner: 'text',
    chat_id: 'text',
    status: 'text',
    instance: 'text',
    started_at: 'integer',
    heartbeat_at: 'integer',
    stop_requested: 'integer',
    /** End of the frames' retention; null while the run is live. */
    frames_until: 'integer?',
  },
  /** Consecutive frames of a run; `frames` is a JSON array of the frames' JSON texts. */
  run_frames: { run_id: 'text', first_seq: 'integer', last_seq: 'integer', frames: 'text' },
  trash: {
    owner: 'text',
    id: 'text',
    path: 'text',
    kind: 'text',
    deleted_by: 'text',
    deleted_at: 'integer',
    reason: 'text',
  },
  shares: {
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
  /** A user's setting for a tool. */
  tool_modes: { owner: 'text', tool: 'text', mode: 'text' },
  approvals: {
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
  app_data: { owner: 'text', slug: 'text', who: 'text', key: 'text', value: 'text', version: 'integer' },
  /** The last version assigned in a place. */
  app_data_versions: { owner: 'text', slug: 'text', who: 'text', version: 'integer' },
  /** A team. A removed team keeps its row, so that its id is never reused. */
  workspaces: {
    /** An organization's id; '' for users without one. */
    tenant: 'text',
    id: 'text',
    name: 'text',
    icon: 'text?',
    created_at: 'integer',
    created_by: 'text?',
    removed_at: 'integer?',
    is_purged: 'integer',
  },
  workspace_members: {
    tenant: 'text',
    workspace_id: 'text',
    user_id: 'text',
    role: 'text',
    added_by: 'text',
    added_at: 'integer',
  },
  /** A user of the agent, and when the user first used it. */
  workspace_people: { tenant: 'text', user_id: 'text', met_at: 'integer' },
  /** A sealed credential. */
  connector_grants: {
    owner: 'text',
    connector: 'text',
    /** Changes with each change of the credential. */
    version: 'text',
    sealed: 'text',
    is_rejected: 'integer',
    connected_at: 'integer',
    /** The instance that renews the credential, and the end of its lease. */
    lease_holder: 'text?',
    lease_until: 'integer?',
  },
  connector_switches: { level: 'text', owner: 'text', connector: 'text', is_on: 'integer' },
  /** A pending authorization. */
  connector_authorizations: { state_hash: 'text', owner: 'text', sealed: 'text', expires_at: 'integer' },
  /** A dynamically registered OAuth client. */
  connector_clients: { id: 'text', sealed: 'text', created_at: 'integer' },
  /** Cached tools and prompts of a server. */
  connector_lists: {
    owner: 'text',
    connector: 'text',
    server: 'text',
    version: 'text',
    lists: 'text',
    read_at: 'integer',
    stale_at: 'integer',
  },
  /** Model usage of a payer (a person, or all callers) in a month, `2026-11`. */
  usage_counts: { payer: 'text', period: 'text', tokens: 'integer', cost_micro_usd: 'integer' },
  /** A rate limit window. */
  connector_calls: { owner: 'text', connector: 'text', began_at: 'integer', calls: 'integer' },
  /** A background task. `input`, `context`, `progress`, `result` and `error` hold JSON. */
  tasks: {
    id: 'text',
    owner: 'text',
    name: 'text',
    status: 'text',
    input: 'text',
    context: 'text?',
    attempt: 'integer',
    failures: 'integer',
    run_at: 'integer',
    created_at: 'integer',
    started_at: 'integer?',
    ended_at: 'integer?',
    /** The process that runs it, and the end of its lease; null unless it runs. */
    holder: 'text?',
    lease_until: 'integer?',
    cancel_requested: 'integer',
    concurrency_key: 'text?',
    concurrency: 'integer?',
    /** The place that a running task takes among those of its key; null without a key. */
    slot: 'text?',
    idempotency_key: 'text?',
    progress: 'text?',
    result: 'text?',
    error: 'text?',
    /** When an ended task is deleted. */
    expires_at: 'integer?',
  },
  /** Memories of a person in a workspace, or of a team. */
  memories: {
    owner: 'text',
    id: 'text',
    text: 'text',
    made_by: 'text',
    created_at: 'integer',
    updated_at: 'integer',
  },
  /** A message of an earlier version of a chat, kept when a later message of the user replaced it. */
  branch_messages: {
    ...MESSAGE,
    /** The message that it follows; 0 for the first message of the chat. */
    parent_seq: 'integer',
  },
  /** A person's opinion of an answer, with the question and the answer as they were. */
  feedback: {
    owner: 'text',
    chat_id: 'text',
    /** The first message of the answer. */
    seq: 'integer',
    rating: 'text?',
    note: 'text',
    question: 'text',
    answer: 'text',
    created_at: 'integer',
    updated_at: 'integer',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, ColumnType>>>>;

/** A table of an agent. */
export type TableName = keyof typeof COLUMNS;

interface Values {
  text: string;
  'text?': string | null;
  integer: number;
  'integer?': number | null;
}

/** A row of a table as its migration created it. */
type Row<Table extends TableName> = {
  -readonly [Column in keyof (typeof COLUMNS)[Table]]: Values[(typeof COLUMNS)[Table][Column] & ColumnType];
};

/** The columns that later migrations added, and texts of a narrower type. */
interface Refined {
  /**
   * `indexed_seq`: the search index has the chat's messages up to this one. `title_from`: `message` for the beginning of the first
   * message, `asked` while the model writes a title; null for any other title, which the model never replaces.
   */
  chats: { indexed_seq: number; title_from: 'message' | 'asked' | null };
  messages: { role: NewMessage['role']; status: NonNullable<NewMessage['status']> | null };
  runs: {
    owner: OwnerKey;
    status: RunStatus;
    attempt: number;
    /** A JSON array of numbers. */
    resumed_after: string;
    request: string | null;
    cost_micro_usd: number;
  };
  trash: { kind: TrashEntry['kind']; deleted_by: TrashEntry['by'] };
  shares: { owner: OwnerKey; sealed_token: string | null };
  workspace_people: { name: string | null; email: string | null };
  tool_modes: { mode: ToolMode; definition_hash: string | null };
  approvals: {
    owner: OwnerKey;
    setting_key: string | null;
    input_schema: string | null;
    decision: NonNullable<StoredApproval['decision']> | null;
    workspace: string | null;
    request: string | null;
    reason: string | null;
  };
  workspace_members: { role: StoredRole };
  connector_grants: { owner: OwnerKey };
  connector_switches: { level: SwitchLevel };
  connector_authorizations: { owner: OwnerKey };
  tasks: { owner: OwnerKey; status: TaskStatus };
  memories: { owner: OwnerKey; made_by: StoredMemory['by'] };
  branch_messages: { role: NewMessage['role']; status: NonNullable<NewMessage['status']> | null };
  feedback: { owner: OwnerKey; rating: Rating | null };
}

/** The tables of an agent. */
export type AgentSchema = {
  readonly [Table in TableName]: Row<Table> & (Table extends keyof Refined ? Refined[Table] : unknown);
};
