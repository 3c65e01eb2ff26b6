import type { AuthContext, Authenticator } from '@berth/agent-core';
import type { JSONWebKeySet } from 'jose';
import { type ClaimMapping, toUser } from './claims.ts';
import { type Fetch, fetchJson } from './fetch-json.ts';
import { createKeySet } from './key-set.ts';
import { type VerifyOptions, verifyToken } from './verify-token.ts';

/** Options of {@link createOidcAuthenticator}; as `OidcOptions` where the names match. */
export interface OidcAuthenticatorOptions {
  readonly issuer?: string | undefined;
  /** Returns the address of the key set. Called before each load, because a provider may move it. */
  findKeys(): Promise<string>;
  readonly jwks?: JSONWebKeySet | undefined;
  readonly audience?: string | readonly string[] | undefined;
  readonly isTypeRequired?: VerifyOptions['isTypeRequired'];
  readonly claims?: ClaimMapping | undefined;
  /** The sign-in settings that `GET /config` returns. */
  readonly signIn: Authenticator['signIn'];
  readonly fetch?: Fetch | undefined;
}

/** Creates an authenticator that verifies tokens of an OpenID Connect provider and reads the user from them. */
export function createOidcAuthenticator(
  { issuer, findKeys, jwks, audience, isTypeRequired, claims, signIn, fetch }: OidcAuthenticatorOptions,
  { clock, logger }: Pick<AuthContext, 'clock' | 'logger'>,
): Authenticator {
  const load = async () => toKeySet(await fetchJson(await findKeys(), fetch));
  const keys = createKeySet({ load, initial: jwks, clock, logger });
  return {
    signIn,
    async verify(token) {
      return toUser(await verifyToken(token, { keys, clock, issuer, audience, isTypeRequired }), claims);
    },
  };
}

function toKeySet(document: unknown): JSONWebKeySet {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  return { keys: keys.filter((key) => typeof key === 'object' && key !== null) };
}
