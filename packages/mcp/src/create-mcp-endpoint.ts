import { describeError } from '@berth/kit';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { createPlatformServer, type PlatformServerOptions } from './create-platform-server.ts';
import { MCP_LIMITS } from './tool/limits.ts';
import type { ToolAccess } from './tool/tool.ts';

/** The platform's MCP server over HTTP. */
export interface McpEndpoint {
  /** Answers a request of a caller that `access` acts for. */
  fetch(request: Request, access: ToolAccess): Promise<Response>;
  /** Ends the requests in progress. */
  close(): Promise<void>;
}

/** Creates the MCP server over Streamable HTTP. It has no sessions: any server of the platform answers any request. */
export function createMcpEndpoint(options: PlatformServerOptions): McpEndpoint {
  const handler = createMcpHandler(
    ({ authInfo }) => createPlatformServer(options, authInfo?.extra?.['access'] as ToolAccess),
    {
      maxRequestBodySize: MCP_LIMITS.requestBytes,
      keepAliveMs: MCP_LIMITS.keepAliveMs,
      onerror: (error) =>
        options.logger.warn({ error: describeError(error) }, 'a request of an MCP client was refused'),
    },
  );
  return {
    fetch: (request, access) =>
      handler.fetch(request, { authInfo: { token: '', clientId: '', scopes: [], extra: { access } } }),
    close: () => handler.close(),
  };
}
