import type { Clock } from '@berth/kit';
import { BerthError } from '@berth/kit';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { unauthenticated } from '../http/bearer-token.ts';
import type { KeySet } from './key-set.ts';

export interface VerifyOptions {
  readonly keys: KeySet;
  readonly clock: Clock;
  readonly issuer?: string | undefined;
  readonly audience?: string | readonly string[] | undefined;
}

/** Signatures with a public key alone: `none` and the HMACs would let anybody make tokens. Source: spec agent-api 1. */
const ALGORITHMS = ['RS256', 'ES256', 'EdDSA'];
/** Of clocks that do not agree. Source: spec agent-api 1. */
const LEEWAY_SECONDS = 10;
/** No header of a server takes more. */
const MAX_TOKEN_CHARACTERS = 16_384;

/**
 * The claims of a token whose signature, issuer, audience and times are right.
 * @throws `unauthenticated` with the reason, never with the token; `unavailable` when the keys can't be had.
 */
export async function verifyToken(
  token: string,
  { keys, clock, issuer, audience }: VerifyOptions,
): Promise<JWTPayload> {
  if (token.length > MAX_TOKEN_CHARACTERS) throw refuse('is too long');
  try {
    const { payload } = await jwtVerify(
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
    return payload;
  } catch (error) {
    throw BerthError.is(error) ? error : explain(error);
  }
}

function explain(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return refuse('has expired. Sign in again', error);
  if (error instanceof errors.JOSEAlgNotAllowed) return refuse(`must be signed with ${ALGORITHMS.join(', ')}`, error);
  if (error instanceof errors.JWSSignatureVerificationFailed) return refuse('has a wrong signature', error);
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.claim === 'iss') return refuse('is from another issuer', error);
    if (error.claim === 'aud') return refuse('is for another audience', error);
    if (error.claim === 'nbf') return refuse('is not valid yet', error);
    return refuse(`has no valid "${error.claim}"`, error);
  }
  // What else the library finds wrong with a token, and keys that don't fit its algorithm.
  return refuse('can not be verified', error);
}

function refuse(what: string, cause?: unknown) {
  return unauthenticated(`The token ${what}.`, cause);
}
