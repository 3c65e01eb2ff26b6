import type { AgentApp } from '@berth/agent-core';
import { loadAgUi, registerAgUiRoute } from './ag-ui/register-ag-ui-route.ts';
import { createMcpEndpoint } from './mcp/create-mcp-endpoint.ts';
import { registerMcpRoutes } from './mcp/register-mcp-routes.ts';
import type { ProtocolOptions } from './protocol-options.ts';
import type { ProtocolDeps } from './turn/protocol-turn.ts';

/** The protocols that an agent speaks. */
export interface OpenProtocols {
  registerRoutes(app: AgentApp): void;
  /** Ends the requests in progress. */
  close(): Promise<void>;
}

/** Opens the protocols of the options, and loads the libraries of those alone. */
export async function openProtocols({ agUi, mcp }: ProtocolOptions, deps: ProtocolDeps): Promise<OpenProtocols> {
  const sdk = agUi ? await loadAgUi() : undefined;
  const endpoint = mcp ? await createMcpEndpoint(deps) : undefined;
  return {
    registerRoutes(app) {
      if (sdk) registerAgUiRoute(app, deps, sdk);
      if (endpoint) registerMcpRoutes(app, deps, endpoint);
    },
    async close() {
      await endpoint?.close();
    },
  };
}
