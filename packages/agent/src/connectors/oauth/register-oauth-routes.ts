import type { AgentApp } from '../../http/agent-app.ts';
import type { AgentDeps } from '../../http/agent-deps.ts';
import { createAgentAddress } from './agent-address.ts';
import { createAuthorizations } from './create-authorizations.ts';
import { registerAuthorizeRoute } from './routes/authorize.ts';
import { registerCallbackRoutes } from './routes/callback.ts';
import { registerClientDocumentRoute } from './routes/client-document.ts';

/** How people consent to connectors that are reached with OAuth. Source: docs/contract/agent-api.md §8. */
export function registerOAuthRoutes(app: AgentApp, deps: AgentDeps): void {
  const { connectors, options, environment } = deps;
  if (!connectors) return;
  const address = createAgentAddress(environment);
  const authorizations = createAuthorizations({
    ...deps,
    connectors,
    agentTitle: options.title ?? options.name,
  });
  registerAuthorizeRoute(app, deps, connectors, address, authorizations);
  registerCallbackRoutes(app, deps, connectors, authorizations);
  registerClientDocumentRoute(app, deps, connectors, address);
}
