import type { AgentApp } from '@berth/agent-core';
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
export async function openProtocols({ mcp }: ProtocolOptions, deps: ProtocolDeps): Promise<OpenProtocols> {
  const endpoint = mcp ? await createMcpEndpoint(deps) : undefined;
  return {
    registerRoutes(app) {
      if (endpoint) registerMcpRoutes(app, deps, endpoint);
    },
    async close() {
      await endpoint?.close();
    },
  };
}
