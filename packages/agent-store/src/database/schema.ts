import type { RunStatus } from '../ports/run-store.ts';

/** The tables of an agent. Times are milliseconds since the epoch, money millionths of a US dollar, JSON is text. */
export interface AgentSchema {
  readonly chats: ChatsTable;
  readonly messages: MessagesTable;
  readonly runs: RunsTable;
  readonly run_frames: RunFramesTable;
  readonly trash: TrashTable;
  readonly shares: SharesTable;
  readonly tool_modes: ToolModesTable;
  readonly approvals: ApprovalsTable;
  readonly app_data: AppDataTable;
  readonly app_data_versions: AppDataVersionsTable;
  readonly workspaces: WorkspacesTable;
  readonly workspace_members: WorkspaceMembersTable;
  readonly workspace_people: WorkspacePeopleTable;
  readonly connector_grants: ConnectorGrantsTable;
  readonly connector_switches: ConnectorSwitchesTable;
  readonly connector_lists: ConnectorListsTable;
  readonly connector_calls: ConnectorCallsTable;
  readonly connector_authorizations: ConnectorAuthorizationsTable;
  readonly connector_clients: ConnectorClientsTable;
}

export interface ChatsTable {
  owner: string;
  id: string;
  title: string;
  /** The title as it is looked for: in lower case of whatever alphabet, which neither dialect knows alike. */
  title_folded: string;
  created_at: number;
  updated_at: number;
  favorited_at: number | null;
  cost_micro_usd: number;
  meta: string;
  generation: number;
  /** Of the next message. */
  next_seq: number;
  last_run_id: string | null;
  deleted_at: number | null;
}

export interface MessagesTable {
  owner: string;
  chat_id: string;
  seq: number;
  role: string;
  content: string;
  parts: string | null;
  attachments: string | null;
  is_internal: number;
  run_id: string | null;
  status: string | null;
  model_data: string | null;
  created_at: number;
}

export interface RunsTable {
  id: string;
  owner: string;
  chat_id: string;
  status: RunStatus;
  instance: string;
  started_at: number;
  heartbeat_at: number;
  stop_requested: number;
  /** Null while it runs. */
  frames_until: number | null;
}

export interface RunFramesTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  /** A JSON array of the frames' JSON texts. */
  frames: string;
}

export interface TrashTable {
  owner: string;
  id: string;
  path: string;
  kind: string;
  deleted_by: string;
  deleted_at: number;
  reason: string;
}

export interface SharesTable {
  owner: string;
  token_hash: string;
  path: string;
  audience: string;
  is_live: number;
  title: string;
  created_at: number;
  expires_at: number | null;
  snapshot: string;
}

export interface ToolModesTable {
  owner: string;
  tool: string;
  mode: string;
  definition_hash: string | null;
}

export interface ApprovalsTable {
  owner: string;
  key: string;
  chat_id: string;
  call_id: string;
  tool: string;
  setting_key: string | null;
  label: string;
  args: string;
  definition_hash: string;
  expires_at: number;
  decision: string | null;
}

export interface AppDataTable {
  owner: string;
  slug: string;
  who: string;
  key: string;
  value: string;
  version: number;
}

/** The last version that was given in a place. */
export interface AppDataVersionsTable {
  owner: string;
  slug: string;
  who: string;
  version: number;
}

export interface ConnectorGrantsTable {
  owner: string;
  connector: string;
  /** Another one at each change. */
  version: string;
  sealed: string;
  is_rejected: number;
  connected_at: number;
  /** Who renews it, and until when nobody else may. */
  lease_holder: string | null;
  lease_until: number | null;
}

export interface ConnectorSwitchesTable {
  level: string;
  owner: string;
  connector: string;
  is_on: number;
}

/** Consents under way. */
export interface ConnectorAuthorizationsTable {
  state_hash: string;
  owner: string;
  sealed: string;
  expires_at: number;
}

/** What the agent is known as at providers that register clients by themselves. */
export interface ConnectorClientsTable {
  id: string;
  sealed: string;
  created_at: number;
}

/** Teams. One that was removed keeps its row, so that its id is never given again. */
export interface WorkspacesTable {
  /** An organisation's id; '' for people without one. */
  tenant: string;
  id: string;
  name: string;
  icon: string | null;
  created_at: number;
  created_by: string | null;
  removed_at: number | null;
  is_purged: number;
}

export interface WorkspaceMembersTable {
  tenant: string;
  workspace_id: string;
  user_id: string;
  role: string;
  added_by: string;
  added_at: number;
}

/** Everybody who was here, and since when. */
export interface WorkspacePeopleTable {
  tenant: string;
  user_id: string;
  met_at: number;
}

export interface ConnectorListsTable {
  owner: string;
  connector: string;
  server: string;
  version: string;
  lists: string;
  read_at: number;
  stale_at: number;
}

export interface ConnectorCallsTable {
  owner: string;
  connector: string;
  began_at: number;
  calls: number;
}
