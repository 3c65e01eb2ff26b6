import type { Connector, OAuthAuth } from '../connector/connector.ts';
import { findResource } from './find-resource.ts';
import { findServer, unusable } from './find-server.ts';
import type { Provider } from './provider.ts';
import type { ProviderFetch } from './provider-fetch.ts';

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
