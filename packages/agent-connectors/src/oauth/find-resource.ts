import { createError } from '@berth/contract';
import { z } from 'zod';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** The protected resource metadata of an MCP server. */
export interface ProtectedResource {
  /** The resource that tokens are requested for. Source: RFC 8707. */
  readonly resource: string;
  readonly issuer: string;
  /** Scopes to request when the owner declared none. */
  readonly scopes: readonly string[];
}

const metadataSchema = z.object({
  resource: z.string(),
  authorization_servers: z.tuple([z.string()], z.string()),
  scopes_supported: z.array(z.string()).optional(),
});

/**
 * A request without side effects, which a protected server rejects with a challenge. Source: Model Context Protocol,
 * "Ping".
 */
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/**
 * Discovers the authorization server of an MCP server: from its challenge, else from the well-known URLs. A server of
 * the revision 2025-03-26 has neither; its own origin is the issuer. Source: RFC 9728, 3 and 5; Model Context Protocol,
 * "Authorization".
 * @throws `unavailable` when the server's metadata is invalid.
 */
export async function findResource(server: string, ask: ProviderFetch): Promise<ProtectedResource> {
  const { checkResourceAllowed, extractWWWAuthenticateParams } = await import('@modelcontextprotocol/client');
  const challenge = await ask(server, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: PING,
    isHeadEnough: true,
  });
  const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(challenge);
  const { origin, pathname } = new URL(server);
  const path = pathname === '/' ? '' : pathname;
  const wellKnown = [...new Set([path, ''])].map((end) => `${origin}/.well-known/oauth-protected-resource${end}`);
  for (const url of resourceMetadataUrl ? [resourceMetadataUrl.href] : wellKnown) {
    const response = await ask(url, { headers: { accept: 'application/json' } });
    if (response.status !== 200) continue;
    const body: unknown = await response.json().catch(() => undefined);
    // Some servers answer every path with an HTML page.
    if (body === undefined && !resourceMetadataUrl) continue;
    const parsed = metadataSchema.safeParse(body);
    if (!parsed.success) throw misled(server, 'its description of who guards it can not be read');
    const { resource, authorization_servers: issuers, scopes_supported: scopes = [] } = parsed.data;
    // Otherwise any server could request tokens for another server and use them there.
    const isIts =
      URL.canParse(resource) && checkResourceAllowed({ requestedResource: server, configuredResource: resource });
    if (!isIts) throw misled(server, 'it describes another server than itself');
    return { resource, issuer: issuers[0], scopes: scope?.split(' ') ?? scopes };
  }
  return { resource: server, issuer: origin, scopes: scope?.split(' ') ?? [] };
}

function misled(server: string, what: string): Error {
  return createError('unavailable', `${hostOf(server)} can not be connected: ${what}.`);
}
