import type { Api, ApiContext } from '../../http/api.ts';
import type { IdentityClient } from '../identity-clients.ts';
import { IDENTITY_PATHS, type IdentityDeps } from '../identity-deps.ts';
import type { IdentityGrant } from '../identity-grants.ts';
import { TOKEN_SECONDS } from '../identity-tokens.ts';
import { answerOauthErrors, createOauthError } from '../oauth-error.ts';
import { describePerson } from '../person.ts';
import { readForm } from '../read-form.ts';

/** Tokens for a code or a refresh token (RFC 6749 sections 4.1.3 and 6), and their end (RFC 7009). */
export function registerToken(api: Api, deps: IdentityDeps): void {
  const { clients, grants } = deps;

  api.post(IDENTITY_PATHS.token, (c) =>
    answerOauthErrors(c, async () => {
      const form = await readForm(c);
      const required = (name: string) => requiredField(form, name);
      const client = await clients.find(required('client_id'));
      if (!client) throw createOauthError('invalid_client', 'no agent of this platform has this client_id');
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
      throw createOauthError('unsupported_grant_type', 'grant_type is authorization_code or refresh_token');
    }),
  );

  api.post(IDENTITY_PATHS.revoke, (c) =>
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
  if (!grant || !session || !claims) {
    throw createOauthError('invalid_grant', 'it was used, has expired, or is not for this client: sign in again');
  }
  const { scope, nonce } = grant;
  const scopes = scope.split(' ');
  const clientId = client.id;
  return c.json({
    access_token: await tokens.signAccess({ claims, clientId, scope }),
    token_type: 'Bearer',
    expires_in: TOKEN_SECONDS,
    scope,
    ...(scopes.includes('openid')
      ? { id_token: await tokens.signId({ claims, clientId, nonce, authTimeMs: session.createdAtMs }) }
      : {}),
    ...(scopes.includes('offline_access')
      ? { refresh_token: await grants.createRefreshToken(grant, client, session) }
      : {}),
  });
}

function requiredField(form: URLSearchParams, name: string): string {
  const [value, ...more] = form.getAll(name);
  if (value === undefined || value === '' || more.length > 0) {
    throw createOauthError('invalid_request', `${name} is required, once`);
  }
  return value;
}
