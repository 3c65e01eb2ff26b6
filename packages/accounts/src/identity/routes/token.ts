import { jsonResponse, registerStream } from '@berth/http';
import { BerthError } from '@berth/kit';
import { z } from '@hono/zod-openapi';
import type { Api, ApiContext } from '../../http/api.ts';
import { defineRoute } from '../../http/define-route.ts';
import type { IdentityClient } from '../identity-clients.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import type { IdentityGrant } from '../identity-grants.ts';
import { TOKEN_SECONDS } from '../identity-tokens.ts';
import { describePerson } from '../person.ts';
import { readForm } from '../read-form.ts';

/** An error of the token endpoint. Source: RFC 6749 section 5.2. */
class OauthError extends Error {
  readonly code: 'invalid_request' | 'invalid_client' | 'invalid_grant' | 'invalid_target' | 'unsupported_grant_type';
  constructor(code: OauthError['code'], description: string) {
    super(description);
    this.code = code;
  }
}

const tags = ['Signing in to agents'];

const formBody = <Schema extends z.ZodType>(schema: Schema) =>
  ({ content: { 'application/x-www-form-urlencoded': { schema } }, required: true }) as const;

const oauthErrorResponse = (description: string) =>
  jsonResponse(z.object({ error: z.string(), error_description: z.string() }).openapi('OAuthError'), description);

const tokenRoute = defineRoute(`POST ${IDENTITY_PATHS.token}`, {
  scope: 'public',
  operationId: 'createTokens',
  tags,
  summary: 'Exchange an authorization code or a refresh token for tokens (RFC 6749 sections 4.1.3 and 6)',
  request: {
    body: formBody(
      z.object({
        client_id: z.string(),
        grant_type: z.enum(['authorization_code', 'refresh_token']),
        code: z.string().optional(),
        code_verifier: z.string().optional(),
        redirect_uri: z.string().optional(),
        refresh_token: z.string().optional(),
        resource: z.string().optional(),
      }),
    ),
  },
  responses: {
    200: jsonResponse(
      z
        .object({
          access_token: z.string(),
          token_type: z.literal('Bearer'),
          expires_in: z.int().openapi({ description: 'Seconds' }),
          scope: z.string(),
          id_token: z.string().optional(),
          refresh_token: z.string().optional(),
        })
        .openapi('IdentityTokens'),
      'The tokens',
    ),
    400: oauthErrorResponse('The request or the grant is invalid'),
    401: oauthErrorResponse('No agent has this client_id'),
  },
});

const revokeRoute = defineRoute(`POST ${IDENTITY_PATHS.revoke}`, {
  scope: 'public',
  operationId: 'revokeToken',
  tags,
  summary: 'Revoke a refresh token (RFC 7009)',
  request: { body: formBody(z.object({ token: z.string() })) },
  responses: {
    200: { description: 'The token is invalid' },
    400: oauthErrorResponse('There is no `token`'),
  },
});

/** `/oauth2/token`: tokens for a code or a refresh token (RFC 6749 sections 4.1.3 and 6); `/oauth2/revoke` (RFC 7009). */
export function registerToken(api: Api, deps: IdentityDeps): void {
  const { clients, grants } = deps;

  registerStream(api, tokenRoute, (c) =>
    answerOauthErrors(c, async () => {
      const form = await readForm(c);
      const required = (name: string) => requiredField(form, name);
      const client = await clients.find(required('client_id'));
      if (!client) throw new OauthError('invalid_client', 'no agent of this platform has this client_id');
      if (client.resource !== undefined && form.getAll('resource').some((one) => one !== client.resource)) {
        throw new OauthError('invalid_target', `resource must be ${client.resource}`);
      }
      const type = required('grant_type');
      if (type === 'authorization_code') {
        const redirectUri = required('redirect_uri');
        const verifier = required('code_verifier');
        const grant = await grants.takeCode(required('code'), { client, redirectUri, verifier });
        return answerTokens(c, deps, client, grant);
      }
      if (type === 'refresh_token') {
        return answerTokens(c, deps, client, await grants.takeRefreshToken(required('refresh_token'), client));
      }
      throw new OauthError('unsupported_grant_type', 'grant_type is authorization_code or refresh_token');
    }),
  );

  registerStream(api, revokeRoute, (c) =>
    answerOauthErrors(c, async () => {
      await grants.revoke(requiredField(await readForm(c), 'token'));
      // RFC 7009 section 2.2: an unknown token is no error.
      return c.body(null, 200);
    }),
  );
}

async function answerTokens(
  c: ApiContext,
  { db, sessions, tokens, grants }: IdentityDeps,
  client: IdentityClient,
  grant: IdentityGrant | undefined,
): Promise<Response> {
  const session = grant && (await sessions.findByHash(grant.sessionHash));
  const claims = session && (await describePerson(db, session));
  // A registered client acts without the person at hand. Its refresh tokens end with the sign-in, as all do.
  const isRenewable = client.resource !== undefined || grant?.scope.split(' ').includes('offline_access');
  const refreshToken = claims && isRenewable ? await grants.createRefreshToken(grant, client, session) : undefined;
  if (!grant || !session || !claims || (isRenewable && refreshToken === undefined)) {
    throw new OauthError(
      'invalid_grant',
      'the grant was used, has expired, or belongs to another client: sign in again',
    );
  }
  const { scope, nonce } = grant;
  const clientId = client.id;
  return c.json({
    access_token: await (client.resource === undefined
      ? tokens.signAccess({ claims, clientId, scope })
      : tokens.signRegistered({ session, clientId, scope, resource: client.resource })),
    token_type: 'Bearer',
    expires_in: TOKEN_SECONDS,
    scope,
    ...(scope.split(' ').includes('openid')
      ? { id_token: await tokens.signId({ claims, clientId, nonce, authTimeMs: session.createdAtMs }) }
      : {}),
    ...(refreshToken === undefined ? {} : { refresh_token: refreshToken }),
  });
}

function requiredField(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (value === undefined || value === '' || more.length > 0) {
    throw new OauthError('invalid_request', `${name} is required, once`);
  }
  return value;
}

/** Returns an OAuth error response, `{error, error_description}`, which is never cached. */
async function answerOauthErrors(c: ApiContext, answer: () => Promise<Response>): Promise<Response> {
  c.header('Cache-Control', 'no-store');
  try {
    return await answer();
  } catch (error) {
    if (error instanceof OauthError) {
      const status = error.code === 'invalid_client' ? 401 : 400;
      return c.json({ error: error.code, error_description: error.message }, status);
    }
    if (BerthError.is(error) && error.status < 500) {
      return c.json({ error: 'invalid_request', error_description: error.message }, 400);
    }
    throw error;
  }
}
