import type { AgentApp } from '@berth/agent-core';
import type { DirectoryRouteDeps } from './connector-route.ts';
import { registerDeleteConnector } from './delete-connector.ts';
import { registerListConnectors } from './list-connectors.ts';
import { registerPatchConnector } from './patch-connector.ts';
import { registerPutKey } from './put-key.ts';
import { registerPutToolMode } from './put-tool-mode.ts';

/** Registers the directory's routes. Source: docs/contract/agent-api.md §8. */
export function registerDirectoryRoutes(app: AgentApp, deps: DirectoryRouteDeps): void {
  registerListConnectors(app, deps);
  registerPutKey(app, deps);
  registerDeleteConnector(app, deps);
  registerPatchConnector(app, deps);
  registerPutToolMode(app, deps);
}
