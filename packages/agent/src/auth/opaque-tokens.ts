import { type AuthContext, unauthenticated } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { BerthError, createLimiter, describeError } from '@berth/kit';
import type { JWTPayload } from 'jose';
import { askProvider, type Endpoint, type Fetch, type ProviderDocument } from './provider-requests.ts';
import { createTokenCache } from './token-cache.ts';
import { isForAudience, LEEWAY_SECONDS } from './verify-token.ts';

/** How the agent asks a provider about a token. Source: RFC 7662. */
export interface IntrospectionOptions {
  /** The client that the provider gave this agent for introspection. */
  readonly clientId: string;
  readonly clientSecret: string;
  /** How the secret is sent; `basic` by default. Source: RFC 6749, section 2.3.1. */
  readonly authentication?: 'basic' | 'post';
  /** The address of the endpoint; by default the one in the issuer's discovery document. */
  readonly url?: string;
}

/** Options of {@link createOpaqueTokens}. */
export interface OpaqueTokensOptions {
  readonly by: 'userinfo' | IntrospectionOptions;
  readonly issuer?: string | undefined;
  readonly audience?: string | readonly string[] | undefined;
  readonly fetch?: Fetch | undefined;
  /** Returns the address of an endpoint of the provider. */
  findEndpoint(endpoint: Endpoint): Promise<string>;
}

/** How long a provider's answer counts: a token that is revoked is refused after this time at the latest. */
const KEEP_MS = 60_000;
/** How long a refusal counts; short, because an instance of the provider may not know a new token yet. */
const KEEP_REFUSAL_MS = 10_000;
/** Requests to the provider at the same time, and waiting ones: made-up tokens must not flood it. */
const CONCURRENCY = 32;
const MAX_WAITING = 1_000;

type Judgment = { readonly claims: JWTPayload } | { readonly refusal: string };

/**
 * Creates a function that returns the claims of an access token that isn't a JWT, as the provider tells them.
 * @throws (the function) `unauthenticated` with the reason; `unavailable` when the provider can't be asked
 */
export function createOpaqueTokens(options: OpaqueTokensOptions, { clock, logger }: AuthContext) {
  const cache = createTokenCache<Judgment>(clock);
  const limiter = createLimiter({
    concurrency: CONCURRENCY,
    checkWait({ waiting }) {
      if (waiting >= MAX_WAITING) throw unreachable(new Error('too many tokens are waiting for the provider'));
    },
  });
  const judge = async (token: string) => {
    const document = await limiter.run(() =>
      options.by === 'userinfo' ? readUserinfo(token, options) : introspect(token, options, options.by),
    );
    const nowSeconds = clock.nowMs() / 1_000;
    const value = document ? judgeClaims(document, options, nowSeconds) : INACTIVE;
    if ('refusal' in value) return { value, keepMs: KEEP_REFUSAL_MS };
    const leftMs = ((value.claims.exp ?? Number.POSITIVE_INFINITY) - nowSeconds) * 1_000;
    return { value, keepMs: Math.min(KEEP_MS, leftMs) };
  };
  return async (token: string): Promise<JWTPayload> => {
    const judgment = await cache(token, async () => {
      try {
        return await judge(token);
      } catch (error) {
        if (BerthError.is(error)) throw error;
        logger.error({ error: describeError(error) }, "the identity provider can't verify a token");
        throw unreachable(error);
      }
    });
    if ('refusal' in judgment) throw unauthenticated(`The token ${judgment.refusal}.`);
    return judgment.claims;
  };
}

const INACTIVE: Judgment = { refusal: 'is invalid or has expired. Sign in again' };

/** Returns the claims about the token's user; undefined when the provider refuses the token. */
async function readUserinfo(token: string, options: OpaqueTokensOptions): Promise<ProviderDocument | undefined> {
  const url = await options.findEndpoint('userinfo_endpoint');
  const { status, document } = await askProvider(url, {
    fetch: options.fetch,
    headers: { authorization: `Bearer ${token}` },
  });
  // RFC 6750, section 3.1. Some providers answer 400 for a token of another form.
  if (status === 400 || status === 401 || status === 403) return undefined;
  if (status !== 200 || !document) throw new Error(`${url} answered ${status} and no JSON object`);
  return document;
}

/** Returns the provider's answer about the token; undefined when the token isn't active. */
async function introspect(
  token: string,
  { findEndpoint, fetch }: OpaqueTokensOptions,
  { clientId, clientSecret, authentication = 'basic', url }: IntrospectionOptions,
): Promise<ProviderDocument | undefined> {
  const endpoint = url ?? (await findEndpoint('introspection_endpoint'));
  const form = new URLSearchParams({ token, token_type_hint: 'access_token' });
  const headers: Record<string, string> = { 'content-type': 'application/x-www-form-urlencoded' };
  if (authentication === 'post') {
    form.set('client_id', clientId);
    form.set('client_secret', clientSecret);
  } else {
    const pair = `${encodeFormValue(clientId)}:${encodeFormValue(clientSecret)}`;
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`;
  }
  const { status, document } = await askProvider(endpoint, { method: 'POST', headers, body: form.toString(), fetch });
  if (status === 200 && typeof document?.['active'] === 'boolean') return document['active'] ? document : undefined;
  const error = typeof document?.['error'] === 'string' ? ` (${document['error'].slice(0, 100)})` : '';
  throw new Error(
    status === 401 || status === 403
      ? `${endpoint} refuses the clientId and clientSecret of opaqueTokens: it answered ${status}${error}`
      : `${endpoint} answered ${status}${error}, not an introspection`,
  );
}

/** Encodes as in forms, which the specification asks for before Base64. Source: RFC 6749, section 2.3.1. */
function encodeFormValue(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function judgeClaims(
  document: ProviderDocument,
  { by, issuer, audience }: OpaqueTokensOptions,
  nowSeconds: number,
): Judgment {
  const claims = document as JWTPayload;
  if (by === 'userinfo') return { claims };
  const { iss, exp, nbf, aud, client_id: client, token_type: type, typ, token_use: use } = claims;
  if (iss !== undefined && issuer !== undefined && iss !== issuer) return { refusal: 'is from another issuer' };
  if (exp !== undefined && !(exp > nowSeconds - LEEWAY_SECONDS)) return { refusal: 'has expired. Sign in again' };
  if (nbf !== undefined && !(nbf <= nowSeconds + LEEWAY_SECONDS)) return { refusal: 'is not valid yet' };
  // Introspection answers for refresh tokens as well (section 2.1), and for tokens that need a proof of possession.
  const isBearer = type === undefined || String(type).toLowerCase() === 'bearer';
  const isRefresh = [type, typ, use].some((one) => /^refresh/i.test(String(one)));
  if (!isBearer || isRefresh) return { refusal: 'is not an access token of the type Bearer' };
  // A provider without audiences tells the client that the token was issued to.
  if (audience !== undefined && !isForAudience(aud ?? client, audience)) return { refusal: 'is for another audience' };
  return { claims };
}

function unreachable(cause: unknown) {
  return createError('unavailable', "The agent can't verify the token at the identity provider. Try again.", { cause });
}
