import { z } from 'zod';
import type { OAuthAuth } from '../connector/connector.ts';
import type { OAuthCredential } from '../connector/grants.ts';
import { oauthClientSchema, providerSchema } from './provider.ts';
import type { TokenParty, Tokens } from './token-endpoint.ts';

/** Kept with tokens: whom to ask for new ones, and as whom. */
const grantDetailsSchema = z.object({
  provider: providerSchema.pick({
    issuer: true,
    tokenEndpoint: true,
    revocationEndpoint: true,
    resource: true,
    isIssuerSent: true,
    // What was asked for: who has to consent again asks for no less.
    scopes: true,
  }),
  client: oauthClientSchema,
});
export type GrantDetails = z.infer<typeof grantDetailsSchema>;

/** A token is renewed so long before its end, or at half of its life if that is shorter: a call must not meet its end. */
const RENEW_BEFORE_MS = 60_000;

/** @param before what the new tokens stand in for: a provider that sends no new refresh token wants the old one again. */
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
      // Without anything to renew it with it is used to its end.
      ...(refreshToken !== undefined && { renewAtMs: nowMs + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 2) }),
    }),
    details: grantDetailsSchema.parse(details),
  };
}

export function detailsOf(credential: OAuthCredential): GrantDetails {
  return grantDetailsSchema.parse(credential.details);
}

/**
 * Whom to ask about tokens, and as whom. Undefined when the owner declares another client or another provider by now: what was
 * given to the old one is worth nothing, and the new one's secret is nothing for the old provider.
 */
export function partyOf({ provider, client }: GrantDetails, auth: OAuthAuth): TokenParty | undefined {
  if (client.origin !== 'declared') return { provider, client, clientSecret: client.clientSecret };
  const isSame =
    client.clientId === auth.clientId &&
    (auth.tokenUrl === undefined || auth.tokenUrl === provider.tokenEndpoint) &&
    (auth.issuer === undefined || auth.issuer.replace(/\/$/, '') === provider.issuer?.replace(/\/$/, ''));
  return isSame ? { provider, client, clientSecret: auth.clientSecret } : undefined;
}
