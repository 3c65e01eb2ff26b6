import type { AuthContext, Authenticator, AuthProvider } from '@berth/agent-core';
import { createError } from '@berth/contract';
import type { JSONWebKeySet } from 'jose';
import { type ClaimMapping, toUser } from './claims.ts';
import { createKeySet } from './key-set.ts';
import { type VerifyOptions, verifyToken } from './verify-token.ts';

/** Options of {@link oidc}. */
export interface OidcOptions {
  /** The `iss` of the tokens, e.g. `https://login.example.com`. Its discovery document gives the address of the keys. */
  readonly issuer?: string;
  /**
   * The address of the key set, in place of discovery. Without `issuer`, tokens of any issuer with these keys are accepted.
   */
  readonly jwksUrl?: string;
  /** Keys that are trusted from the start, for networks that can't reach the provider. */
  readonly jwks?: JSONWebKeySet;
  /** Accepted values of the tokens' `aud`. Without it, tokens issued for other applications are accepted too. */
  readonly audience?: string | readonly string[];
  /** The claims that hold the fields of a user. */
  readonly claims?: ClaimMapping;
  /** The client id with which the chat page signs people in. Without it the page has no sign-in. */
  readonly clientId?: string;
  /** The scope that the page requests; `openid profile email offline_access` by default. */
  readonly scope?: string;
  /** Replaces the global `fetch`. */
  readonly fetch?: Fetch;
}

/** The default scope. `offline_access` requests a refresh token, which keeps people signed in. */
export const DEFAULT_SCOPE = 'openid profile email offline_access';

/**
 * Returns an auth provider for an OpenID Connect provider, whose access tokens the requests carry.
 * @throws `invalid` at the start of the agent: without both `issuer` and `jwksUrl`, or with an address that isn't https
 */
export function oidc(options: OidcOptions): AuthProvider {
  return {
    open(context) {
      const { issuer, jwksUrl, audience, clientId, scope = DEFAULT_SCOPE } = options;
      if (issuer === undefined && jwksUrl === undefined) {
        throw createError('invalid', 'oidc() needs the issuer, or the jwksUrl, of an identity provider.');
      }
      for (const url of [issuer, jwksUrl]) if (url !== undefined) requireSafe(url);
      if (audience === undefined) {
        const message = 'oidc() has no audience: tokens that the provider made for other applications are taken too';
        context.logger.warn({ issuer, jwksUrl }, message);
      }
      return createOidcAuthenticator(
        {
          ...options,
          findKeys: async () => jwksUrl ?? (await discoverKeys(issuer as string, options.fetch)),
          signIn: issuer !== undefined && clientId !== undefined ? { issuer, client_id: clientId, scope } : null,
        },
        context,
      );
    },
  };
}

/** Returns the address of the issuer's key set. Source: OpenID Connect Discovery 1.0, section 4. */
async function discoverKeys(issuer: string, fetch: Fetch | undefined): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const document = (await fetchJson(url, fetch)) as { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  if (document?.issuer !== issuer) throw new Error(`${url} is of another issuer: ${document?.issuer}`);
  if (typeof document.jwks_uri !== 'string') throw new Error(`${url} does not say where the keys are`);
  requireSafe(document.jwks_uri);
  return document.jwks_uri;
}

/** Refuses addresses without TLS, except on this machine: keys that are fetched without TLS can be forged. */
function requireSafe(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLocal = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return;
  throw createError('invalid', `oidc() takes addresses that begin with https://; "${url}" does not.`);
}

/** What an authenticator needs of its provider. */
interface Provider extends Omit<VerifyOptions, 'keys' | 'clock'> {
  /** Returns the address of the key set. Called before each load, because a provider may move it. */
  findKeys(): Promise<string>;
  readonly jwks?: JSONWebKeySet | undefined;
  readonly claims?: ClaimMapping | undefined;
  /** The sign-in settings that `GET /config` returns. */
  readonly signIn: Authenticator['signIn'];
  readonly fetch?: Fetch | undefined;
}

/** Creates an authenticator that verifies tokens of an OpenID Connect provider and reads the user from them. */
export function createOidcAuthenticator(
  { findKeys, jwks, claims, signIn, fetch, ...expected }: Provider,
  { clock, logger }: AuthContext,
): Authenticator {
  const load = async () => toKeySet(await fetchJson(await findKeys(), fetch));
  const keys = createKeySet({ load, initial: jwks, clock, logger });
  return {
    signIn,
    async verify(token) {
      return toUser(await verifyToken(token, { ...expected, keys, clock }), claims);
    },
  };
}

function toKeySet(document: unknown): JSONWebKeySet {
  const { keys } = (document ?? {}) as { keys?: unknown };
  if (!Array.isArray(keys)) throw new Error('the key set has no list of keys');
  return { keys: keys.filter((key) => typeof key === 'object' && key !== null) };
}

/** The timeout of a request to the provider, which holds up a request to the agent. */
const TIMEOUT_MS = 5_000;
/** The maximum size of a document. A key set has a few kilobytes. */
const MAX_BYTES = 512 * 1024;

/** A `fetch` that takes the URL as a string. */
type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Fetches a JSON document from an identity provider. Doesn't follow redirects: only the configured address is trusted.
 * @throws Error with the address, and the cause
 */
async function fetchJson(url: string, fetcher: Fetch = fetch): Promise<unknown> {
  try {
    const response = await fetcher(url, {
      headers: { accept: 'application/json' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return JSON.parse(await readText(response));
  } catch (error) {
    throw new Error(`${url} gives no JSON document`, { cause: error });
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_BYTES) throw new Error(`it has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
