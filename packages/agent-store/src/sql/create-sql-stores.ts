import type { AgentDatabase } from '../database/agent-database.ts';
import type { AgentStores } from '../ports/agent-stores.ts';
import { createAppDataStore } from './create-app-data-store.ts';
import { createChatStore } from './create-chat-store.ts';
import { createConnectorStores } from './create-connector-stores.ts';
import { createFeedbackStore } from './create-feedback-store.ts';
import { createGrantStore } from './create-grant-store.ts';
import { createMemoryStore } from './create-memory-store.ts';
import { createRunStore } from './create-run-store.ts';
import { createShareStore } from './create-share-store.ts';
import { createTaskStore } from './create-task-store.ts';
import { createToolStores } from './create-tool-stores.ts';
import { createTrashStore } from './create-trash-store.ts';
import { createUsageStore } from './create-usage-store.ts';
import { createWorkspaceStore } from './create-workspace-store.ts';

/** Creates all stores on one database, which is closed with them. */
export function createSqlStores(database: AgentDatabase): AgentStores {
  return {
    chats: createChatStore(database),
    runs: createRunStore(database),
    trash: createTrashStore(database),
    shares: createShareStore(database),
    appData: createAppDataStore(database),
    grants: createGrantStore(database),
    workspaces: createWorkspaceStore(database),
    tasks: createTaskStore(database),
    usage: createUsageStore(database),
    memories: createMemoryStore(database),
    feedback: createFeedbackStore(database),
    ...createToolStores(database),
    ...createConnectorStores(database),
    locks: database.locks,
    close: database.close,
  };
}
