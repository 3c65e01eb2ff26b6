import type { AgentApp } from '../../http/agent-app.ts';
import type { AgentDeps } from '../../http/agent-deps.ts';
import { registerDeleteConnector } from './routes/delete-connector.ts';
import { registerListConnectors } from './routes/list-connectors.ts';
import { registerPatchConnector } from './routes/patch-connector.ts';
import { registerPutKey } from './routes/put-key.ts';
import { registerPutToolMode } from './routes/put-tool-mode.ts';

/** The directory of connectors. They are there for an agent that declares some. Source: docs/contract/agent-api.md §8. */
export function registerConnectorRoutes(app: AgentApp, deps: AgentDeps): void {
  const { connectors } = deps;
  if (!connectors) return;
  registerListConnectors(app, deps, connectors);
  registerPutKey(app, deps, connectors);
  registerDeleteConnector(app, deps, connectors);
  registerPatchConnector(app, deps, connectors);
  registerPutToolMode(app, deps, connectors);
}
