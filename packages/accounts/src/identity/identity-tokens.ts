import type { Clock } from '@berth/kit';
import { createLocalJWKSet, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { type IdentityKeys, SIGNING_ALGORITHM } from './identity-keys.ts';
import type { PersonClaims } from './person.ts';

/** How long a token is good, in seconds; a page renews it, and who is shut out stays in no longer. */
export const TOKEN_SECONDS = 600;

/** What a token is made for. */
export interface TokenOptions {
  readonly claims: PersonClaims;
  /** The client that it is for, which alone may take it. */
  readonly clientId: string;
}

export interface IdTokenOptions extends TokenOptions {
  readonly nonce: string | null;
  readonly authTimeMs: number;
}

/** Makes and reads the provider's JWTs. */
export interface IdentityTokens {
  /** What an agent takes as `Authorization: Bearer` (RFC 9068). */
  signAccess(options: TokenOptions & { readonly scope: string }): Promise<string>;
  /** Source: OpenID Connect Core 1.0, section 2. */
  signId(options: IdTokenOptions): Promise<string>;
  /** The claims of an access token that is good; undefined for all else. */
  readAccess(token: string): Promise<JWTPayload | undefined>;
  /** Whose ID token it is and for whom it was made, however old; undefined when it is not one of the provider's. */
  readIdHint(token: string): Promise<{ readonly subject: string; readonly clientId: string } | undefined>;
}

export interface IdentityTokensOptions {
  readonly keys: IdentityKeys;
  readonly clock: Clock;
  readonly issuer: string;
}

export function createIdentityTokens({ keys, clock, issuer }: IdentityTokensOptions): IdentityTokens {
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
    signAccess: ({ claims, clientId, scope }) =>
      sign({ ...claims, aud: clientId, client_id: clientId, scope, jti: crypto.randomUUID() }, 'at+jwt'),
    signId: ({ claims, clientId, nonce, authTimeMs }) =>
      sign(
        { ...claims, aud: clientId, auth_time: Math.floor(authTimeMs / 1_000), ...(nonce === null ? {} : { nonce }) },
        'JWT',
      ),
    readAccess: (token) => verify(token, 'at+jwt', clock.nowMs()),
    async readIdHint(token) {
      // Who signs out may have been away for long.
      const payload = await verify(token, 'JWT', 0);
      return payload?.sub === undefined || typeof payload.aud !== 'string'
        ? undefined
        : { subject: payload.sub, clientId: payload.aud };
    },
  };
}
