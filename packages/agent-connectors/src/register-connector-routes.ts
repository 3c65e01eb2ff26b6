import type { AgentApp } from '@berth/agent-core';
import type { DirectoryRouteDeps } from './directory/routes/connector-route.ts';
import { registerDeleteConnector } from './directory/routes/delete-connector.ts';
import { registerListConnectors } from './directory/routes/list-connectors.ts';
import { registerPatchConnector } from './directory/routes/patch-connector.ts';
import { registerPutKey } from './directory/routes/put-key.ts';
import { registerPutToolMode } from './directory/routes/put-tool-mode.ts';
import { type FetchRouteDeps, registerFetchRoutes } from './fetch/register-fetch-routes.ts';
import { createAgentAddress } from './oauth/agent-address.ts';
import { type AuthorizationsDeps, createAuthorizations } from './oauth/create-authorizations.ts';
import { registerAuthorizeRoute } from './oauth/routes/authorize.ts';
import { registerCallbackRoutes } from './oauth/routes/callback.ts';
import { registerClientDocumentRoute } from './oauth/routes/client-document.ts';
import type { OAuthRouteDeps } from './oauth/routes/oauth-route.ts';
import { type ListRouteDeps, registerListRoutes } from './turns/register-list-routes.ts';

/** Dependencies of {@link registerConnectorRoutes}. */
export interface ConnectorRouteDeps
  extends DirectoryRouteDeps,
    ListRouteDeps,
    FetchRouteDeps,
    Omit<OAuthRouteDeps, 'address' | 'authorizations'>,
    AuthorizationsDeps {
  readonly stores: DirectoryRouteDeps['stores'] & FetchRouteDeps['stores'] & AuthorizationsDeps['stores'];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Registers every route below `/connectors`. Source: docs/contract/agent-api.md §8. */
export function registerConnectorRoutes(app: AgentApp, deps: ConnectorRouteDeps): void {
  registerListConnectors(app, deps);
  registerPutKey(app, deps);
  registerDeleteConnector(app, deps);
  registerPatchConnector(app, deps);
  registerPutToolMode(app, deps);
  registerListRoutes(app, deps);
  const oauth = {
    ...deps,
    address: createAgentAddress(deps.environment),
    authorizations: createAuthorizations(deps),
  };
  registerAuthorizeRoute(app, oauth);
  registerCallbackRoutes(app, oauth);
  registerClientDocumentRoute(app, oauth);
  registerFetchRoutes(app, deps);
}
