import type { AgentApp } from '@berth/agent-core';
import type { DirectoryRouteDeps } from './directory/routes/connector-route.ts';
import { registerDirectoryRoutes } from './directory/routes/register-directory-routes.ts';
import { type FetchRouteDeps, registerFetchRoutes } from './fetch/register-fetch-routes.ts';
import { type OAuthRoutesOptions, registerOAuthRoutes } from './oauth/routes/register-oauth-routes.ts';
import { type ListRouteDeps, registerListRoutes } from './turns/register-list-routes.ts';

/** Dependencies of {@link registerConnectorRoutes}. */
export type ConnectorRouteDeps = DirectoryRouteDeps & ListRouteDeps & OAuthRoutesOptions & FetchRouteDeps;

/** Registers every route below `/connectors`. Source: docs/contract/agent-api.md §8. */
export function registerConnectorRoutes(app: AgentApp, deps: ConnectorRouteDeps): void {
  registerDirectoryRoutes(app, deps);
  registerListRoutes(app, deps);
  registerOAuthRoutes(app, deps);
  registerFetchRoutes(app, deps);
}
