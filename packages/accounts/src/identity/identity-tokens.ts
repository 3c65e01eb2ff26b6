import type { Clock } from '@berth/kit';
import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { type IdentityKeys, SIGNING_ALGORITHM } from './identity-keys.ts';
import type { IdentitySession } from './identity-sessions.ts';
import { type PersonClaims, subjectOf } from './person.ts';

/** The life of a token in seconds. Short, because a token can't be revoked; pages renew theirs. */
export const TOKEN_SECONDS = 600;

/** The contents of a new token. */
export interface TokenOptions {
  readonly claims: PersonClaims;
  /** The audience: the only client that may accept the token. */
  readonly clientId: string;
}

export interface IdTokenOptions extends TokenOptions {
  readonly nonce: string | null;
  readonly authTimeMs: number;
}

/** The contents of a registered client's token. */
export interface RegisteredTokenOptions {
  readonly session: Pick<IdentitySession, 'accountId' | 'userId' | 'hash'>;
  readonly clientId: string;
  /** The audience. */
  readonly resource: string;
  readonly scope: string;
}

export interface IdentityTokensOptions {
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly issuer: string;
}

export function createIdentityTokens({ keys, clock, issuer }: IdentityTokensOptions) {
  const sign = async (payload: JWTPayload, type: string): Promise<string> => {
    const { kid, privateKey } = await keys.signingKey();
    const issuedAt = Math.floor(clock.nowMs() / 1_000);
    return new SignJWT({ ...payload, iss: issuer, iat: issuedAt, exp: issuedAt + TOKEN_SECONDS })
      .setProtectedHeader({ alg: SIGNING_ALGORITHM, kid, typ: type })
      .sign(privateKey);
  };
  const verify = async (token: string, type: string, atMs: number): Promise<JWTPayload | undefined> => {
    const set = createLocalJWKSet({ keys: [...(await keys.publicKeys())] });
    const currentDate = new Date(atMs);
    return jwtVerify(token, set, { issuer, typ: type, algorithms: [SIGNING_ALGORITHM], currentDate }).then(
      ({ payload }) => payload,
      () => undefined,
    );
  };
  return {
    /** An access token, for `Authorization: Bearer` at an agent (RFC 9068). */
    signAccess: ({ claims, clientId, scope }: TokenOptions & { readonly scope: string }): Promise<string> =>
      sign({ ...claims, aud: clientId, client_id: clientId, scope, jti: crypto.randomUUID() }, 'at+jwt'),
    /**
     * An access token of a registered client for the MCP server. It names the sign-in, which has to last, and no claims about the
     * person.
     */
    signRegistered: ({ session, clientId, resource, scope }: RegisteredTokenOptions): Promise<string> => {
      const claims = { sub: subjectOf(session), org_id: session.accountId, sid: session.hash };
      return sign({ ...claims, aud: resource, client_id: clientId, scope, jti: crypto.randomUUID() }, 'at+jwt');
    },
    /** An ID token. Source: OpenID Connect Core 1.0, section 2. */
    signId: ({ claims, clientId, nonce, authTimeMs }: IdTokenOptions): Promise<string> =>
      sign(
        { ...claims, aud: clientId, auth_time: Math.floor(authTimeMs / 1_000), ...(nonce === null ? {} : { nonce }) },
        'JWT',
      ),
    /** Returns the claims of a valid access token; undefined for any other text. */
    readAccess: (token: string): Promise<JWTPayload | undefined> => verify(token, 'at+jwt', clock.nowMs()),
    /** Returns subject and client of an ID token of this provider, expired ones included; undefined for any other text. */
    async readIdHint(token: string): Promise<{ readonly subject: string; readonly clientId: string } | undefined> {
      // A person may sign out long after the token has expired.
      const payload = await verify(token, 'JWT', 0);
      return payload?.sub === undefined || typeof payload.aud !== 'string'
        ? undefined
        : { subject: payload.sub, clientId: payload.aud };
    },
  };
}
