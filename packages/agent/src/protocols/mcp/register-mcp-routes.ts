import { type AgentApp, type AgentEnv, bearerToken, publicOrigin, routesOf } from '@berth/agent-core';
import { jsonResponse } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { callerOf, type ProtocolDeps } from '../turn/protocol-turn.ts';
import type { McpEndpoint } from './create-mcp-endpoint.ts';

const PATH = '/mcp';

/** Where the metadata of the protected resource is. Source: RFC 9728, section 3.1; clients try the second without a challenge. */
const METADATA = [`/.well-known/oauth-protected-resource${PATH}`, '/.well-known/oauth-protected-resource'] as const;

const metadataSchema = z.object({
  resource: z.string(),
  resource_name: z.string(),
  authorization_servers: z.array(z.string()),
  bearer_methods_supported: z.array(z.literal('header')),
});

/** Registers the MCP server, and how its clients find out where people sign in. Source: docs/contract/agent-api.md §14. */
export function registerMcpRoutes(app: AgentApp, deps: ProtocolDeps, endpoint: McpEndpoint): void {
  const route = routesOf(app, deps, 'Protocols');
  const issuer = deps.authenticator?.issuer;
  if (issuer !== undefined) app.use(PATH, challengeWithMetadata());
  // Without sessions there is nothing to GET or DELETE: clients take the 405 for that.
  route(`POST ${PATH}`, 'mcp', {
    access: 'turn',
    errors: ['payload_too_large'],
    summary: 'Call the agent as an MCP server',
    description: 'JSON-RPC of the Model Context Protocol, by its transport Streamable HTTP without sessions.',
    responses: {
      200: {
        description: 'The result, or server-sent events that end with it',
        content: { 'application/json': { schema: z.unknown() }, 'text/event-stream': { schema: z.string() } },
      },
      202: { description: 'The notification was accepted' },
    },
  }).stream((c) =>
    endpoint.fetch(c.req.raw, {
      authInfo: { token: bearerToken(c) ?? '', clientId: deps.agentName, scopes: [], extra: { caller: callerOf(c) } },
    }),
  );
  if (issuer === undefined) return;
  for (const path of METADATA) {
    route(`GET ${path}`, path === METADATA[0] ? 'mcpResourceMetadata' : 'mcpHostMetadata', {
      access: 'public',
      summary: 'Get the protected resource metadata for MCP clients (RFC 9728)',
      responses: { 200: jsonResponse(metadataSchema, 'The metadata of the protected resource') },
    }).handle((c) =>
      c.json(
        {
          resource: publicOrigin(c) + PATH,
          resource_name: deps.agentTitle,
          authorization_servers: [issuer],
          bearer_methods_supported: ['header' as const],
        },
        200,
        { 'Cache-Control': 'public, max-age=300', Vary: 'X-Forwarded-Host, X-Forwarded-Proto' },
      ),
    );
  }
}

/** Returns middleware that names the metadata in each 401. Source: the MCP specification, "Authorization", and RFC 9728, section 5.1. */
function challengeWithMetadata(): MiddlewareHandler<AgentEnv> {
  return async (c, next) => {
    await next();
    if (c.res.status !== 401) return;
    const challenge = c.res.headers.get('www-authenticate') ?? 'Bearer';
    const at = `resource_metadata="${publicOrigin(c)}${METADATA[0]}"`;
    c.res.headers.set('WWW-Authenticate', `${challenge}${challenge.includes('=') ? ',' : ''} ${at}`);
  };
}
