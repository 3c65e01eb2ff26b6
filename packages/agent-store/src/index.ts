export { createHeartbeatThread } from './heartbeats/create-heartbeat-thread.ts';
export type { Heartbeats, TaskLeases } from './heartbeats/heartbeats.ts';
export type { AgentStores } from './ports/agent-stores.ts';
export type { AppDataStore, AppPlace, AppRow } from './ports/app-data-store.ts';
export type { ApprovalStore, PlacedApproval, StoredApproval } from './ports/approval-store.ts';
export type { ChatMatch, ChatStore, MessageVersions, StoredChat } from './ports/chat-store.ts';
export type {
  AuthorizationStore,
  ConnectorCallStore,
  ConnectorListStore,
  ConnectorSwitch,
  ConnectorSwitchStore,
  GrantStore,
  OAuthClientStore,
  StoredConnectorLists,
  StoredGrant,
  StoredOAuthClient,
  SwitchLevel,
  SwitchOwner,
} from './ports/connector-stores.ts';
export type { FeedbackStore, Rating, StoredFeedback } from './ports/feedback-store.ts';
export type { Locks } from './ports/locks.ts';
export type { MemoryStore, StoredMemory } from './ports/memory-store.ts';
export {
  ANONYMOUS,
  memberKey,
  type OwnerKey,
  ownerKey,
  parseMemberKey,
  parseOwnerKey,
  teamKey,
} from './ports/owner-key.ts';
export {
  type BegunRun,
  type RunProgress,
  type RunSettlement,
  type RunStatus,
  type RunStore,
  type StoredRun,
  statusOf,
} from './ports/run-store.ts';
export type { SettingStore } from './ports/setting-store.ts';
export type { ShareStore, StoredShare } from './ports/share-store.ts';
export type { NewMessage, StoredMessage } from './ports/stored-message.ts';
export {
  type NewTask,
  type StoredTask,
  TASK_STATUSES,
  type TaskEnd,
  type TaskScope,
  type TaskStatus,
  type TaskStore,
} from './ports/task-store.ts';
export type { TrashEntry, TrashStore } from './ports/trash-store.ts';
export type { UsageCount, UsageStore } from './ports/usage-store.ts';
export type {
  DecideMember,
  KnownMember,
  RemovedWorkspace,
  RoleIn,
  StoredMember,
  StoredRole,
  StoredWorkspace,
  WorkspaceStore,
} from './ports/workspace-store.ts';
