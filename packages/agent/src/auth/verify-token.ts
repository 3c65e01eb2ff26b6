import { unauthenticated } from '@berth/agent-core';
import { BerthError, type Clock } from '@berth/kit';
import { decodeProtectedHeader, errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import type { KeySet } from './key-set.ts';

/** Options of {@link verifyToken}. */
export interface VerifyOptions {
  readonly keys: KeySet;
  readonly clock: Clock;
  readonly issuer?: string | undefined;
  readonly audience?: string | readonly string[] | undefined;
  /** True to require the type `at+jwt` in the header (RFC 9068). By default tokens without a type are accepted too. */
  readonly isTypeRequired?: boolean | undefined;
}

/**
 * The accepted algorithms, all with public keys: `none` and HMACs would let anyone forge tokens. Source:
 * docs/contract/agent-api.md §1.
 */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** The tolerated clock skew. Source: docs/contract/agent-api.md §1. */
export const LEEWAY_SECONDS = 10;
/** The maximum length of a token. HTTP servers don't accept longer headers. */
export const MAX_TOKEN_CHARACTERS = 16_384;

/** Returns true for the form of a signed JWT: three parts, of which the first is a JSON object that names an algorithm. */
export function isJwt(token: string): boolean {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(token)) return false;
  try {
    return decodeProtectedHeader(token).alg !== undefined;
  } catch {
    return false;
  }
}

/** Reports whether a claim `aud`, a text or a list, has one of the accepted values. */
export function isForAudience(aud: unknown, accepted: string | readonly string[]): boolean {
  return [aud].flat().some((one) => typeof one === 'string' && [accepted].flat().includes(one));
}

/** Source: RFC 9068 section 2.1. */
const ACCESS_TOKEN_TYPE = 'at+jwt';

/**
 * Returns the claims of an access token after verifying its signature, issuer, audience and times.
 * @throws `unauthenticated` with the reason, never with the token; `unavailable` when the keys can't be fetched
 */
export async function verifyToken(
  token: string,
  { keys, clock, issuer, audience, isTypeRequired }: VerifyOptions,
): Promise<JWTPayload> {
  try {
    const { payload, protectedHeader } = await jwtVerify(
      token,
      (header) => {
        if (typeof header.kid !== 'string' || header.kid === '') throw refuse('does not name its key (kid)');
        return keys.find(header);
      },
      {
        algorithms: ALGORITHMS,
        clockTolerance: LEEWAY_SECONDS,
        currentDate: new Date(clock.nowMs()),
        requiredClaims: ['exp'],
        ...(issuer === undefined ? {} : { issuer }),
        ...(audience === undefined ? {} : { audience: [audience].flat() }),
      },
    );
    requireAccessToken(protectedHeader, payload, isTypeRequired);
    return payload;
  } catch (error) {
    throw BerthError.is(error) ? error : explain(error);
  }
}

/**
 * Refuses tokens that the provider signs for other purposes. An ID token has the same issuer, keys and, for most clients,
 * the same audience as an access token, but it is meant for the page that signed in, and ends up in logs and redirect
 * URLs. Where the type of access tokens is `JWT` or missing, ID tokens are recognized by claims that only they have.
 */
function requireAccessToken({ typ }: JWTHeaderParameters, payload: JWTPayload, isTypeRequired = false): void {
  const type = typ?.toLowerCase().replace(/^application\//, '');
  if (type === ACCESS_TOKEN_TYPE) return;
  if (isTypeRequired) throw refuse(`is not an access token: its type must be ${ACCESS_TOKEN_TYPE}`);
  // RFC 8725 section 3.11: an explicit type names the purpose of a token, e.g. `logout+jwt`.
  if (type?.endsWith('+jwt')) throw refuse(`is not an access token: its type is ${type.slice(0, 40)}`);
  if (isIdToken(payload)) throw refuse('is an ID token. Send the access token');
}

/**
 * Returns true for the claims of an ID token. Sources: OpenID Connect Core 1.0 sections 2, 3.1.3.6 and 3.3.2.11; the claims
 * `typ` of Keycloak, whose older access tokens have a `nonce` too, and `token_use` of Amazon Cognito. `auth_time` isn't
 * evidence: RFC 9068 allows it in access tokens.
 */
function isIdToken(payload: JWTPayload): boolean {
  if (payload['typ'] === 'Bearer') return false;
  if (payload['typ'] === 'ID' || payload['token_use'] === 'id') return true;
  return ['nonce', 'at_hash', 'c_hash'].some((claim) => Object.hasOwn(payload, claim));
}

function explain(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return refuse('has expired. Sign in again', error);
  if (error instanceof errors.JOSEAlgNotAllowed) return refuse(`must be signed with ${ALGORITHMS.join(', ')}`, error);
  if (error instanceof errors.JWSSignatureVerificationFailed) return refuse('has an invalid signature', error);
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return refuse('is from another issuer', error);
    if (error.claim === 'aud') return refuse('is for another audience', error);
    if (error.claim === 'nbf') return refuse('is not valid yet', error);
    return refuse(`has no valid "${error.claim}"`, error);
  }
  // Other errors of the library, and keys that don't match the token's algorithm.
  return refuse("can't be verified", error);
}

/** Returns the error for a token that is refused; `what` continues "The token …". */
export function refuse(what: string, cause?: unknown): Error {
  return unauthenticated(`The token ${what}.`, cause);
}
