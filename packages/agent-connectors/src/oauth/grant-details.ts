import { z } from 'zod';
import type { OAuthAuth } from '../connector/connector.ts';
import type { OAuthCredential } from '../connector/grants.ts';
import { oauthClientSchema, providerSchema } from './provider.ts';
import type { TokenParty, Tokens } from './token-endpoint.ts';

/** Stored with the tokens: the provider and the client for renewing and revoking them. */
const grantDetailsSchema = z.object({
  provider: providerSchema.pick({
    issuer: true,
    tokenEndpoint: true,
    revocationEndpoint: true,
    resource: true,
    isIssuerSent: true,
    // The requested scopes: a new consent asks for no fewer.
    scopes: true,
  }),
  client: oauthClientSchema,
});
/** The provider and the client of an OAuth credential. */
export type GrantDetails = z.infer<typeof grantDetailsSchema>;

/**
 * A token is renewed this long before its expiry, or at half of its lifetime if that is shorter, so that it doesn't
 * expire during a call.
 */
const RENEW_BEFORE_MS = 60_000;

/**
 * Returns the credential for a token response.
 * @param before the credential that the tokens replace. Its refresh token is kept when the provider sends no new one.
 */
export function toCredential(
  tokens: Tokens,
  details: GrantDetails,
  nowMs: number,
  before?: OAuthCredential,
): OAuthCredential {
  const { accessToken, refreshToken = before?.refreshToken, lifeSeconds } = tokens;
  const lifeMs = lifeSeconds === undefined ? undefined : lifeSeconds * 1_000;
  return {
    type: 'oauth',
    accessToken,
    ...(refreshToken !== undefined && { refreshToken }),
    ...(lifeMs !== undefined && {
      expiresAtMs: nowMs + lifeMs,
      // Without a refresh token, the access token is used until it expires.
      ...(refreshToken !== undefined && { renewAtMs: nowMs + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 2) }),
    }),
    details: grantDetailsSchema.parse(details),
  };
}

/** Returns the provider and the client of a credential. */
export function detailsOf(credential: OAuthCredential): GrantDetails {
  return grantDetailsSchema.parse(credential.details);
}

/**
 * Returns the provider and client for token requests. Undefined when the owner has since declared another client or
 * provider: the old tokens are then useless, and the new secret must not be sent to the old provider.
 */
export function partyOf({ provider, client }: GrantDetails, auth: OAuthAuth): TokenParty | undefined {
  if (client.origin !== 'declared') return { provider, client, clientSecret: client.clientSecret };
  const isSame =
    client.clientId === auth.clientId &&
    (auth.tokenUrl === undefined || auth.tokenUrl === provider.tokenEndpoint) &&
    (auth.issuer === undefined || auth.issuer.replace(/\/$/, '') === provider.issuer?.replace(/\/$/, ''));
  return isSame ? { provider, client, clientSecret: auth.clientSecret } : undefined;
}
