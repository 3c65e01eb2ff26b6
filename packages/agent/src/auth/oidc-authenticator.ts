import type { AuthContext, Authenticator } from '@berth/agent-core';
import type { JSONWebKeySet } from 'jose';
import { type ClaimMapping, toUser } from './claims.ts';
import { type Fetch, fetchJson } from './fetch-json.ts';
import { createKeySet } from './key-set.ts';
import { type VerifyOptions, verifyToken } from './verify-token.ts';

export interface OidcAuthenticatorOptions {
  readonly issuer?: string | undefined;
  /** Where the key set is; asked before each time it is loaded, since a provider may move it. */
  findKeys(): Promise<string>;
  readonly jwks?: JSONWebKeySet | undefined;
  readonly audience?: string | readonly string[] | undefined;
  readonly isTypeRequired?: VerifyOptions['isTypeRequired'];
  readonly claims?: ClaimMapping | undefined;
  /** What `/config` says of signing in. */
  readonly signIn: Authenticator['signIn'];
  readonly fetch?: Fetch | undefined;
}

/** Verifies tokens of an OpenID Connect provider and reads their user. */
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
