import type { AppDataStore } from './app-data-store.ts';
import type { ApprovalStore } from './approval-store.ts';
import type { ChatStore } from './chat-store.ts';
import type {
  AuthorizationStore,
  ConnectorCallStore,
  ConnectorListStore,
  ConnectorSwitchStore,
  GrantStore,
  OAuthClientStore,
} from './connector-stores.ts';
import type { FeedbackStore } from './feedback-store.ts';
import type { Locks } from './locks.ts';
import type { MemoryStore } from './memory-store.ts';
import type { RunStore } from './run-store.ts';
import type { SettingStore } from './setting-store.ts';
import type { ShareStore } from './share-store.ts';
import type { TaskStore } from './task-store.ts';
import type { TrashStore } from './trash-store.ts';
import type { UsageStore } from './usage-store.ts';
import type { WorkspaceStore } from './workspace-store.ts';

/**
 * All stores of an agent; files are stored elsewhere. Each call takes the owner: another owner's data counts as absent.
 */
export interface AgentStores {
  readonly chats: ChatStore;
  readonly runs: RunStore;
  readonly trash: TrashStore;
  readonly shares: ShareStore;
  readonly settings: SettingStore;
  readonly approvals: ApprovalStore;
  readonly appData: AppDataStore;
  readonly grants: GrantStore;
  readonly connectorSwitches: ConnectorSwitchStore;
  readonly connectorLists: ConnectorListStore;
  readonly connectorCalls: ConnectorCallStore;
  readonly authorizations: AuthorizationStore;
  readonly oauthClients: OAuthClientStore;
  readonly locks: Locks;
  readonly workspaces: WorkspaceStore;
  readonly usage: UsageStore;
  readonly memories: MemoryStore;
  readonly feedback: FeedbackStore;
  readonly tasks: TaskStore;
  /** Closes the stores after their pending calls. Idempotent. */
  close(): Promise<void>;
}
