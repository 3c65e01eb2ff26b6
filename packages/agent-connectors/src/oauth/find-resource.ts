import { createError } from '@berth/contract';
import { z } from 'zod';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** What an MCP server says of who guards it. */
export interface ProtectedResource {
  /** What tokens are asked for. Source: RFC 8707. */
  readonly resource: string;
  readonly issuer: string;
  /** To be asked for when the owner did not say. */
  readonly scopes: readonly string[];
}

const metadataSchema = z.object({
  resource: z.string(),
  authorization_servers: z.tuple([z.string()], z.string()),
  scopes_supported: z.array(z.string()).optional(),
});

/** Nothing happens by it, and a guarded server refuses it. Source: Model Context Protocol, "Ping". */
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/**
 * Asks the server who guards it: by its challenge, else by the well-known addresses. A server of 2025-03-26, which has neither,
 * is guarded by its own origin. Source: RFC 9728, 3 and 5; Model Context Protocol, "Authorization".
 * @throws `unavailable` when it says something that can't be.
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
    // A page for people, which some servers answer whatever is asked for.
    if (body === undefined && !resourceMetadataUrl) continue;
    const parsed = metadataSchema.safeParse(body);
    if (!parsed.success) throw misled(server, 'its description of who guards it can not be read');
    const { resource, authorization_servers: issuers, scopes_supported: scopes = [] } = parsed.data;
    // Else any server could ask for tokens of another, and use them there.
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
