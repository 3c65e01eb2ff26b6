import type { AuthContext, Authenticator } from '@berth/agent-core';
import type { JSONWebKeySet } from 'jose';
import { type ClaimMapping, toUser } from './claims.ts';
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

/** The timeout of a request to the provider, which holds up a request to the agent. */
const TIMEOUT_MS = 5_000;
/** The maximum size of a document. A key set has a few kilobytes. */
const MAX_BYTES = 512 * 1024;

/** A `fetch` that takes the URL as a string. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * Fetches a JSON document from an identity provider. Doesn't follow redirects: only the configured address is trusted.
 * @throws Error with the address, and the cause
 */
export async function fetchJson(url: string, fetcher: Fetch = fetch): Promise<unknown> {
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
