import { createError } from '@berth/contract';
import { z } from 'zod';
import type { Connector, OAuthAuth } from '../connector/connector.ts';
import { type Provider, webAddressSchema } from './provider.ts';
import { hostOf, type ProviderFetch } from './provider-fetch.ts';

/** The protected resource metadata of an MCP server. Source: RFC 9728, 2. */
const resourceMetadataSchema = z.object({
  resource: z.string(),
  authorization_servers: z.tuple([z.string()], z.string()),
  scopes_supported: z.array(z.string()).optional(),
});

/**
 * A request without side effects, which a protected server rejects with a challenge. Source: Model Context Protocol,
 * "Ping".
 */
const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });

/** The fields that are read from an authorization server's metadata. Source: RFC 8414, 2; RFC 9207, 3. */
const serverMetadataSchema = z.object({
  issuer: z.string(),
  authorization_endpoint: webAddressSchema,
  token_endpoint: webAddressSchema,
  registration_endpoint: webAddressSchema.optional(),
  revocation_endpoint: webAddressSchema.optional(),
  scopes_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
});
/** Scope for refresh tokens, requested when the owner declared no scopes. Source: OpenID Connect Core, 11. */
const OFFLINE = 'offline_access';

/**
 * Returns the connector's provider: what the owner declared, else the issuer's metadata, else the authorization server
 * that the MCP server names.
 * @throws `unavailable` with a message for users, when it can't be discovered or trusted.
 */
export async function findProvider(
  { server }: Pick<Connector, 'server'>,
  auth: OAuthAuth,
  ask: ProviderFetch,
): Promise<Provider> {
  const { issuer, authorizationUrl, tokenUrl, revocationUrl, scopes } = auth;
  if (authorizationUrl !== undefined && tokenUrl !== undefined) {
    return {
      ...(issuer !== undefined && { issuer }),
      authorizationEndpoint: authorizationUrl,
      tokenEndpoint: tokenUrl,
      ...(revocationUrl !== undefined && { revocationEndpoint: revocationUrl }),
      ...(server && { resource: server.url }),
      scopes: [...scopes],
      isIssuerSent: false,
      takesClientDocuments: false,
    };
  }
  const resource = server && issuer === undefined ? await findResource(server.url, ask) : undefined;
  const from = issuer ?? resource?.issuer;
  if (from === undefined) throw new Error('a connector with neither issuer, addresses nor server');
  const metadata = await findServer(from, ask);
  const isProofTaken = metadata.code_challenge_methods_supported?.includes('S256') ?? false;
  if (!isProofTaken && !auth.isPkceAssumed) throw unusable(from, 'it does not offer PKCE with S256');
  const named = scopes.length > 0 ? scopes : (resource?.scopes ?? []);
  const isOfflineAdded = scopes.length === 0 && metadata.scopes_supported?.includes(OFFLINE) === true;
  const target = resource?.resource ?? server?.url;
  const revocationEndpoint = revocationUrl ?? metadata.revocation_endpoint;
  return {
    issuer: metadata.issuer,
    authorizationEndpoint: metadata.authorization_endpoint,
    tokenEndpoint: metadata.token_endpoint,
    ...(metadata.registration_endpoint !== undefined && { registrationEndpoint: metadata.registration_endpoint }),
    ...(revocationEndpoint !== undefined && { revocationEndpoint }),
    ...(target !== undefined && { resource: target }),
    scopes: [...new Set([...named, ...(isOfflineAdded ? [OFFLINE] : [])])],
    isIssuerSent: metadata.authorization_response_iss_parameter_supported === true,
    takesClientDocuments: metadata.client_id_metadata_document_supported === true,
    ...(metadata.token_endpoint_auth_methods_supported && {
      clientAuthentications: metadata.token_endpoint_auth_methods_supported,
    }),
  };
}

/**
 * Discovers the authorization server of an MCP server: from its challenge, else from the well-known URLs. A server of
 * the revision 2025-03-26 has neither; its own origin is the issuer. Source: RFC 9728, 3 and 5; Model Context Protocol,
 * "Authorization".
 * @throws `unavailable` when the server's metadata is invalid.
 */
async function findResource(server: string, ask: ProviderFetch) {
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
    const parsed = resourceMetadataSchema.safeParse(body);
    if (!parsed.success) throw misled(server, "its protected resource metadata can't be read");
    const { resource, authorization_servers: issuers, scopes_supported: scopes = [] } = parsed.data;
    // Otherwise any server could request tokens for another server and use them there.
    const isIts =
      URL.canParse(resource) && checkResourceAllowed({ requestedResource: server, configuredResource: resource });
    if (!isIts) throw misled(server, 'its metadata describes another server');
    return { resource, issuer: issuers[0], scopes: scope?.split(' ') ?? scopes };
  }
  return { resource: server, issuer: origin, scopes: scope?.split(' ') ?? [] };
}

function misled(server: string, what: string): Error {
  return createError('unavailable', `${hostOf(server)} cannot be connected: ${what}.`);
}

/**
 * Returns the metadata of an authorization server from the well-known URLs of RFC 8414 and OpenID Connect.
 * @throws `unavailable` with a message for users, when there is no metadata of this issuer, or a URL in it isn't http
 * or https.
 */
async function findServer(issuer: string, ask: ProviderFetch): Promise<z.infer<typeof serverMetadataSchema>> {
  if (!webAddressSchema.safeParse(issuer).success) throw unusable(issuer, 'its issuer is not a URL');
  const { buildDiscoveryUrls } = await import('@modelcontextprotocol/client');
  for (const { url } of buildDiscoveryUrls(issuer)) {
    const response = await ask(url.href, { headers: { accept: 'application/json' } });
    if (response.status !== 200) continue;
    const body: unknown = await response.json().catch(() => undefined);
    // Some servers answer every path with an HTML page.
    if (body === undefined) continue;
    const parsed = serverMetadataSchema.safeParse(body);
    if (!parsed.success) {
      throw unusable(issuer, `its metadata is invalid at "${parsed.error.issues[0]?.path.join('.') || 'the start'}"`);
    }
    // Metadata of another issuer would send that issuer's users here. Source: RFC 8414, 3.3.
    if (withoutSlash(parsed.data.issuer) !== withoutSlash(issuer)) {
      throw unusable(issuer, 'its metadata is from another issuer');
    }
    return parsed.data;
  }
  throw unusable(issuer, 'it has no metadata');
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

/** Creates the error for a provider that can't be used. */
export function unusable(issuer: string, what: string): Error {
  return createError('unavailable', `The sign-in of ${hostOf(issuer)} cannot be used: ${what}.`);
}
