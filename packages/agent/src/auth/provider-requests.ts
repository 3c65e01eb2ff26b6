import { createError } from '@berth/contract';
import type { Clock } from '@berth/kit';

/** A `fetch` that takes the URL as a string. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A JSON object that a provider sent, not validated further. */
export type ProviderDocument = Readonly<Record<string, unknown>>;

/** The response of a provider. */
export interface ProviderResponse {
  readonly status: number;
  /** Undefined for anything but a JSON object. */
  readonly document: ProviderDocument | undefined;
}

/** The timeout of a request to the provider, which holds up a request to the agent. */
const TIMEOUT_MS = 5_000;
/** The maximum size of a document. A key set has a few kilobytes. */
const MAX_BYTES = 512 * 1024;

/**
 * Sends a request to an identity provider and reads its JSON. Doesn't follow redirects: only the configured address is
 * trusted.
 * @throws Error with the address, and the cause, when there is no response
 */
export async function askProvider(
  url: string,
  { fetch: send = fetch, headers, ...init }: Pick<RequestInit, 'method' | 'headers' | 'body'> & FetchOption = {},
): Promise<ProviderResponse> {
  try {
    const response = await send(url, {
      ...init,
      headers: { accept: 'application/json', ...headers },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { status: response.status, document: parseDocument(await readText(response)) };
  } catch (error) {
    throw new Error(`${url} does not answer`, { cause: error });
  }
}

interface FetchOption {
  readonly fetch?: Fetch | undefined;
}

/** Returns the JSON object at an address. @throws Error with the address when there is none */
export async function fetchDocument(url: string, fetch: Fetch | undefined): Promise<ProviderDocument> {
  const { status, document } = await askProvider(url, { fetch });
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  if (!document) throw new Error(`${url} returned no JSON object`);
  return document;
}

function parseDocument(text: string): ProviderDocument | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as ProviderDocument)
      : undefined;
  } catch {
    return undefined;
  }
}

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response.body ?? []) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > MAX_BYTES) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Refuses addresses without TLS, except on this machine: what is fetched without TLS can be forged. */
export function requireSafe(url: string): void {
  const { protocol, hostname } = URL.canParse(url) ? new URL(url) : { protocol: '', hostname: '' };
  const isLocal = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || (protocol === 'http:' && isLocal)) return;
  throw createError('invalid', `oidc() requires https:// URLs; "${url}" is not one.`);
}

/** An endpoint in a discovery document. Sources: OpenID Connect Discovery 1.0, section 3; RFC 8414, section 2. */
export type Endpoint =
  | 'jwks_uri'
  | 'token_endpoint'
  | 'userinfo_endpoint'
  | 'introspection_endpoint'
  | 'revocation_endpoint';

/** The discovery document of an issuer. */
export interface Discovery {
  /**
   * Returns the address of an endpoint.
   * @throws Error when the document can't be fetched, is another issuer's, or doesn't name the endpoint
   */
  get(endpoint: Endpoint): Promise<string>;
}

/** The age at which the document is fetched again, because a provider may move its endpoints. */
const MAX_AGE_MS = 5 * 60_000;

/** Creates the discovery of an issuer. The document is fetched when it is first needed, and once for concurrent callers. */
export function createDiscovery(issuer: string, { clock, fetch }: { readonly clock: Clock } & FetchOption): Discovery {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  let loaded: { readonly document: Promise<ProviderDocument>; readonly atMs: number } | undefined;
  const load = async () => {
    const document = await fetchDocument(url, fetch);
    if (document['issuer'] !== issuer) throw new Error(`${url} is of another issuer: ${document['issuer']}`);
    return document;
  };
  const find = (): Promise<ProviderDocument> => {
    if (loaded && clock.monotonicMs() - loaded.atMs < MAX_AGE_MS) return loaded.document;
    const document = load();
    const mine = { document, atMs: clock.monotonicMs() };
    loaded = mine;
    document.catch(() => {
      if (loaded === mine) loaded = undefined;
    });
    return document;
  };
  return {
    async get(endpoint) {
      const address = (await find())[endpoint];
      if (typeof address !== 'string') throw new Error(`${url} names no ${endpoint}`);
      requireSafe(address);
      return address;
    },
  };
}
