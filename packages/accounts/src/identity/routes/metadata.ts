import { jsonResponse, registerStream } from '@berth/http';
import { z } from '@hono/zod-openapi';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { IDENTITY_SCOPES } from '../authorize-request.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import { SIGNING_ALGORITHM } from '../identity-keys.ts';
import { REGISTERED_SCOPES } from '../registered-client.ts';

/** Long enough to spare requests, and far shorter than the time that a new key is published before it signs. */
const CACHE_CONTROL = 'public, max-age=300';

const metadataSchema = z
  .looseObject({
    issuer: z.string(),
    authorization_endpoint: z.string(),
    token_endpoint: z.string(),
    userinfo_endpoint: z.string(),
    revocation_endpoint: z.string(),
    end_session_endpoint: z.string(),
    jwks_uri: z.string(),
  })
  .openapi('IdentityProviderMetadata');

const metadataRoute = (path: string, operationId: string, source: string) =>
  defineRoute(`GET ${path}`, {
    scope: 'public',
    operationId,
    tags: ['Signing in to agents'],
    summary: `Get the identity provider's endpoints and capabilities (${source})`,
    responses: { 200: jsonResponse(metadataSchema, 'The metadata') },
  });

const METADATA_ROUTES = [
  metadataRoute(IDENTITY_PATHS.discovery, 'getIdentityProvider', 'OpenID Connect Discovery 1.0'),
  metadataRoute(IDENTITY_PATHS.authorizationServer, 'getAuthorizationServer', 'RFC 8414'),
];

const keysRoute = defineRoute(`GET ${IDENTITY_PATHS.jwks}`, {
  scope: 'public',
  operationId: 'getIdentityKeys',
  tags: ['Signing in to agents'],
  summary: 'The public keys that the tokens of agents are verified with (RFC 7517)',
  responses: { 200: jsonResponse(z.object({ keys: z.array(z.looseObject({ kid: z.string() })) }), 'A JWK set') },
});

/** The provider's metadata (OpenID Connect Discovery 1.0, RFC 8414) and its keys (RFC 7517). */
export function registerMetadata(api: Api, { issuer, keys }: Pick<IdentityDeps, 'issuer' | 'keys'>): void {
  const metadata = {
    issuer,
    authorization_endpoint: issuer + IDENTITY_PATHS.authorize,
    token_endpoint: issuer + IDENTITY_PATHS.token,
    registration_endpoint: issuer + IDENTITY_PATHS.register,
    userinfo_endpoint: issuer + IDENTITY_PATHS.userInfo,
    revocation_endpoint: issuer + IDENTITY_PATHS.revoke,
    end_session_endpoint: issuer + IDENTITY_PATHS.signOut,
    jwks_uri: issuer + IDENTITY_PATHS.jwks,
    scopes_supported: [...IDENTITY_SCOPES, ...REGISTERED_SCOPES],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none'],
    revocation_endpoint_auth_methods_supported: ['none'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [SIGNING_ALGORITHM],
    prompt_values_supported: ['none', 'login', 'consent', 'select_account'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'exp', 'iat', 'auth_time', 'nonce', 'name', 'email', 'email_verified', 'picture'],
      ...['org_id', 'org_slug', 'org_role', 'plan'],
    ],
    authorization_response_iss_parameter_supported: true,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
  for (const route of METADATA_ROUTES) {
    registerStream(api, route, (c) => c.json(metadata, 200, { 'Cache-Control': CACHE_CONTROL }));
  }
  registerStream(api, keysRoute, async (c) =>
    c.json({ keys: await keys.publicKeys() }, 200, { 'Cache-Control': CACHE_CONTROL }),
  );
}
