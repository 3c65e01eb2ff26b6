import type { RunStatus } from '../ports/run-store.ts';

/**
 * The tables of an agent. Times are in milliseconds since the epoch, money in millionths of a US dollar; JSON is stored
 * as text.
 */
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

/** A row of `chats`. */
export interface ChatsTable {
  owner: string;
  id: string;
  title: string;
  /** The title for searches, in lower case, since the two databases fold letters differently. */
  title_folded: string;
  created_at: number;
  updated_at: number;
  favorited_at: number | null;
  cost_micro_usd: number;
  meta: string;
  generation: number;
  /** Sequence number of the next message. */
  next_seq: number;
  last_run_id: string | null;
  deleted_at: number | null;
}

/** A row of `messages`. */
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

/** A row of `runs`. */
export interface RunsTable {
  id: string;
  owner: string;
  chat_id: string;
  status: RunStatus;
  instance: string;
  started_at: number;
  heartbeat_at: number;
  stop_requested: number;
  /** End of the frames' retention; null while the run is live. */
  frames_until: number | null;
}

/** A row of `run_frames`: consecutive frames of a run. */
export interface RunFramesTable {
  run_id: string;
  first_seq: number;
  last_seq: number;
  /** A JSON array of the frames' JSON texts. */
  frames: string;
}

/** A row of `trash`. */
export interface TrashTable {
  owner: string;
  id: string;
  path: string;
  kind: string;
  deleted_by: string;
  deleted_at: number;
  reason: string;
}

/** A row of `shares`. */
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

/** A row of `tool_modes`: a user's setting for a tool. */
export interface ToolModesTable {
  owner: string;
  tool: string;
  mode: string;
  definition_hash: string | null;
}

/** A row of `approvals`. */
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

/** A row of `app_data`. */
export interface AppDataTable {
  owner: string;
  slug: string;
  who: string;
  key: string;
  value: string;
  version: number;
}

/** A row of `app_data_versions`: the last version assigned in a place. */
export interface AppDataVersionsTable {
  owner: string;
  slug: string;
  who: string;
  version: number;
}

/** A row of `connector_grants`: a sealed credential. */
export interface ConnectorGrantsTable {
  owner: string;
  connector: string;
  /** Changes with each change of the credential. */
  version: string;
  sealed: string;
  is_rejected: number;
  connected_at: number;
  /** The instance that renews the credential, and the end of its lease. */
  lease_holder: string | null;
  lease_until: number | null;
}

/** A row of `connector_switches`. */
export interface ConnectorSwitchesTable {
  level: string;
  owner: string;
  connector: string;
  is_on: number;
}

/** A row of `connector_authorizations`: a pending authorization. */
export interface ConnectorAuthorizationsTable {
  state_hash: string;
  owner: string;
  sealed: string;
  expires_at: number;
}

/** A row of `connector_clients`: a dynamically registered OAuth client. */
export interface ConnectorClientsTable {
  id: string;
  sealed: string;
  created_at: number;
}

/** A row of `workspaces`: a team. A removed team keeps its row, so that its id is never reused. */
export interface WorkspacesTable {
  /** An organization's id; '' for users without one. */
  tenant: string;
  id: string;
  name: string;
  icon: string | null;
  created_at: number;
  created_by: string | null;
  removed_at: number | null;
  is_purged: number;
}

/** A row of `workspace_members`. */
export interface WorkspaceMembersTable {
  tenant: string;
  workspace_id: string;
  user_id: string;
  role: string;
  added_by: string;
  added_at: number;
}

/** A row of `workspace_people`: a user of the agent, and when the user first used it. */
export interface WorkspacePeopleTable {
  tenant: string;
  user_id: string;
  met_at: number;
}

/** A row of `connector_lists`: cached tools and prompts of a server. */
export interface ConnectorListsTable {
  owner: string;
  connector: string;
  server: string;
  version: string;
  lists: string;
  read_at: number;
  stale_at: number;
}

/** A row of `connector_calls`: a rate limit window. */
export interface ConnectorCallsTable {
  owner: string;
  connector: string;
  began_at: number;
  calls: number;
}
