import { jsonResponse, registerStream } from '@berth/http';
import { BerthError } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { Api } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import { formatClientId, REGISTERED_SCOPES } from '../registered-client.ts';

const metadataSchema = z.object({
  redirect_uris: z.array(z.string()),
  client_name: z.string().optional(),
});

const registrationSchema = z
  .object({
    client_id: z.string(),
    client_name: z.string(),
    redirect_uris: z.array(z.string()),
    token_endpoint_auth_method: z.literal('none'),
    grant_types: z.array(z.string()),
    response_types: z.array(z.string()),
    scope: z.string(),
  })
  .openapi('ClientRegistration');

const route = defineRoute(`POST ${IDENTITY_PATHS.register}`, {
  scope: 'public',
  operationId: 'registerClient',
  tags: ['Signing in to agents'],
  summary: 'Register a client of the MCP server (RFC 7591)',
  description: 'Other fields of the request are ignored. Clients are public and use PKCE. Nothing is stored.',
  request: { body: { content: { 'application/json': { schema: metadataSchema } }, required: true } },
  responses: {
    201: jsonResponse(registrationSchema, 'The client'),
    400: jsonResponse(z.object({ error: z.string(), error_description: z.string() }).openapi('OAuthError'), 'Invalid'),
  },
});

/** `/oauth2/register`: clients of the MCP server register themselves (RFC 7591). */
export function registerRegisterClient(api: Api, { issuer }: Pick<IdentityDeps, 'issuer'>): void {
  registerStream(api, route, async (c) => {
    c.header('Cache-Control', 'no-store');
    const fail = (error: string, error_description: string) => c.json({ error, error_description }, 400);
    const parsed = metadataSchema.safeParse(await c.req.json());
    if (!parsed.success) return fail('invalid_client_metadata', 'send a JSON object with redirect_uris');
    const { redirect_uris: redirectUris, client_name: name = 'A program' } = parsed.data;
    try {
      const registration: z.infer<typeof registrationSchema> = {
        client_id: formatClientId({ name, redirectUris }, issuer),
        client_name: name,
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: REGISTERED_SCOPES.join(' '),
      };
      return c.json(registration, 201);
    } catch (error) {
      if (!BerthError.is(error, 'invalid')) throw error;
      return fail('invalid_redirect_uri', error.message);
    }
  });
}
