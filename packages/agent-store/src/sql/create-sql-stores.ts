import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentStores } from '../ports/agent-stores.ts';
import { createAppDataStore } from './create-app-data-store.ts';
import { createApprovalStore } from './create-approval-store.ts';
import { createAuthorizationStore } from './create-authorization-store.ts';
import { createChatStore } from './create-chat-store.ts';
import { createConnectorCallStore } from './create-connector-call-store.ts';
import { createConnectorListStore } from './create-connector-list-store.ts';
import { createConnectorSwitchStore } from './create-connector-switch-store.ts';
import { createGrantStore } from './create-grant-store.ts';
import { createOAuthClientStore } from './create-oauth-client-store.ts';
import { createRunStore } from './create-run-store.ts';
import { createSettingStore } from './create-setting-store.ts';
import { createShareStore } from './create-share-store.ts';
import { createTrashStore } from './create-trash-store.ts';
import { createWorkspaceStore } from './create-workspace-store.ts';

/** Creates all stores on one database, which is closed with them. */
export function createSqlStores(database: AgentDatabase): AgentStores {
  return {
    chats: createChatStore(database),
    runs: createRunStore(database),
    trash: createTrashStore(database),
    shares: createShareStore(database),
    settings: createSettingStore(database),
    approvals: createApprovalStore(database),
    appData: createAppDataStore(database),
    grants: createGrantStore(database),
    connectorSwitches: createConnectorSwitchStore(database),
    connectorLists: createConnectorListStore(database),
    connectorCalls: createConnectorCallStore(database),
    authorizations: createAuthorizationStore(database),
    oauthClients: createOAuthClientStore(database),
    locks: database.locks,
    workspaces: createWorkspaceStore(database),
    close: database.close,
  };
}
