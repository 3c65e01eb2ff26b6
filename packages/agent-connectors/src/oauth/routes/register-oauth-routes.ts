import type { AgentApp } from '@berth/agent-core';
import { createAgentAddress } from '../agent-address.ts';
import { type AuthorizationsDeps, createAuthorizations } from '../create-authorizations.ts';
import { registerAuthorizeRoute } from './authorize.ts';
import { registerCallbackRoutes } from './callback.ts';
import { registerClientDocumentRoute } from './client-document.ts';
import type { OAuthRouteDeps } from './oauth-route.ts';

/** Options of {@link registerOAuthRoutes}. */
export interface OAuthRoutesOptions extends Omit<OAuthRouteDeps, 'address' | 'authorizations'>, AuthorizationsDeps {
  readonly registry: AuthorizationsDeps['registry'];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Registers the routes of OAuth connectors. Source: docs/contract/agent-api.md §8. */
export function registerOAuthRoutes(app: AgentApp, options: OAuthRoutesOptions): void {
  const deps: OAuthRouteDeps = {
    ...options,
    address: createAgentAddress(options.environment),
    authorizations: createAuthorizations(options),
  };
  registerAuthorizeRoute(app, deps);
  registerCallbackRoutes(app, deps);
  registerClientDocumentRoute(app, deps);
}
