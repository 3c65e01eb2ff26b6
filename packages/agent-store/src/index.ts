export type { AgentStores } from './ports/agent-stores.ts';
export type { AppDataStore, AppPlace, AppRow } from './ports/app-data-store.ts';
export type { ApprovalStore, StoredApproval } from './ports/approval-store.ts';
export type { AuthorizationStore } from './ports/authorization-store.ts';
export type { ChatStore, StoredChat } from './ports/chat-store.ts';
export type { ConnectorCallStore } from './ports/connector-call-store.ts';
export type { ConnectorListStore, StoredConnectorLists } from './ports/connector-list-store.ts';
export type {
  ConnectorSwitch,
  ConnectorSwitchStore,
  SwitchLevel,
  SwitchOwner,
} from './ports/connector-switch-store.ts';
export type { GrantStore, StoredGrant } from './ports/grant-store.ts';
export type { Locks } from './ports/locks.ts';
export type { OAuthClientStore, StoredOAuthClient } from './ports/oauth-client-store.ts';
export { ANONYMOUS, memberKey, type OwnerKey, ownerKey, parseOwnerKey, teamKey } from './ports/owner-key.ts';
export type { FrameBatch, RunStatus, RunStore, StoredRun } from './ports/run-store.ts';
export type { SettingStore } from './ports/setting-store.ts';
export type { ShareStore, StoredShare } from './ports/share-store.ts';
export { statusOf } from './ports/status-of.ts';
export type { NewMessage, StoredMessage } from './ports/stored-message.ts';
export type { TrashEntry, TrashStore } from './ports/trash-store.ts';
export type {
  DecideMember,
  RemovedWorkspace,
  RoleIn,
  StoredMember,
  StoredRole,
  StoredWorkspace,
  WorkspaceStore,
} from './ports/workspace-store.ts';
