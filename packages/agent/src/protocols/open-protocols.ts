import type { AgentApp } from '@berth/agent-core';
import { loadA2aSdk } from './a2a/a2a-sdk.ts';
import type { A2aDeps } from './a2a/create-request-handler.ts';
import { registerA2aRoutes } from './a2a/register-a2a-routes.ts';
import { loadAgUi, registerAgUiRoute } from './ag-ui/register-ag-ui-route.ts';
import { createMcpEndpoint } from './mcp/create-mcp-endpoint.ts';
import { registerMcpRoutes } from './mcp/register-mcp-routes.ts';
import type { ProtocolOptions } from './protocol-options.ts';

/** The protocols that an agent speaks. */
export interface OpenProtocols {
  registerRoutes(app: AgentApp): void;
  /** Ends the requests in progress. */
  close(): Promise<void>;
}

/** Opens the protocols of the options, and loads the libraries of those alone. */
export async function openProtocols({ a2a, agUi, mcp }: ProtocolOptions, deps: A2aDeps): Promise<OpenProtocols> {
  const a2aSdk = a2a ? await loadA2aSdk() : undefined;
  const sdk = agUi ? await loadAgUi() : undefined;
  const endpoint = mcp ? await createMcpEndpoint(deps) : undefined;
  return {
    registerRoutes(app) {
      if (a2aSdk) registerA2aRoutes(app, deps, a2aSdk);
      if (sdk) registerAgUiRoute(app, deps, sdk);
      if (endpoint) registerMcpRoutes(app, deps, endpoint);
    },
    async close() {
      await endpoint?.close();
    },
  };
}
