import { afterAll, beforeAll, describe } from 'vitest';
import type { AgentStores } from '../ports/agent-stores.ts';
import { describeAppDataStore } from './describe-app-data-store.ts';
import { describeChatSearch } from './describe-chat-search.ts';
import { describeChatStore } from './describe-chat-store.ts';
import { describeChatVersions } from './describe-chat-versions.ts';
import { describeConnectorStores } from './describe-connector-stores.ts';
import { describeMemoryStore } from './describe-memory-store.ts';
import { describeRunStore } from './describe-run-store.ts';
import { describeStateStores } from './describe-state-stores.ts';
import { describeTaskStore } from './describe-task-store.ts';
import { describeUsageStore } from './describe-usage-store.ts';
import { describeWorkspaceStore } from './describe-workspace-store.ts';
import { createStoreFixture, type StoreFixture } from './store-fixture.ts';

/**
 * Runs the contract tests of an agent's stores. `open` may return stores with other owners' rows; the suite closes
 * them.
 */
export function describeAgentStores(name: string, open: () => Promise<AgentStores>): void {
  describe(`${name}: stores of an agent`, () => {
    let stores: AgentStores;
    const fixture = (): StoreFixture => createStoreFixture(stores);
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores?.close());
    describeChatStore(fixture);
    describeChatSearch(fixture);
    describeChatVersions(fixture);
    describeRunStore(fixture);
    describeStateStores(fixture);
    describeConnectorStores(fixture);
    describeWorkspaceStore(fixture);
    describeTaskStore(fixture);
    describeUsageStore(fixture);
    describeMemoryStore(fixture);
    describeAppDataStore(async () => ({ store: stores.appData, close: async () => {} }));
  });
}
