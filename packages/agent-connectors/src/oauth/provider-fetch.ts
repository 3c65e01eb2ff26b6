import type { Outbound } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { OutboundError } from '@berth/outbound';

/** Request timeout, since users wait for the provider. */
const TIMEOUT_MS = 10_000;
/** Maximum size of a response; metadata, tokens and registrations have a few kilobytes. */
const MAX_BYTES = 262_144;
/**
 * Redirects allowed for metadata, which some providers moved. No other request follows redirects: they could carry a
 * secret to another host.
 */
const MAX_METADATA_REDIRECTS = 3;
/** Statuses without a body. Source: Fetch, "null body status". */
const BODILESS: readonly number[] = [101, 103, 204, 205, 304];

/** Options of a {@link ProviderFetch} request. */
export interface ProviderRequestInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | undefined;
  /** Discards the response's body. */
  readonly isHeadEnough?: boolean;
}

/**
 * Sends a request to an authorization server or a protected resource through the guarded outbound client, and buffers
 * the response.
 * @throws `unavailable` with a message for users, when there is no usable response.
 */
export type ProviderFetch = (url: string, init?: ProviderRequestInit) => Promise<Response>;

/** Creates the fetch function for providers. @param timeoutMs request timeout in milliseconds. */
export function createProviderFetch(outbound: Outbound, timeoutMs: number = TIMEOUT_MS): ProviderFetch {
  return async (url, { method = 'GET', headers = {}, body, isHeadEnough = false } = {}) => {
    const request = {
      url,
      method,
      headers,
      timeoutMs,
      maxRedirects: method === 'GET' ? MAX_METADATA_REDIRECTS : 0,
      ...(body !== undefined && { body: Buffer.from(String(body)) }),
    };
    try {
      const answer = isHeadEnough
        ? await headOf(outbound, request)
        : await outbound.fetch({ ...request, maxBytes: MAX_BYTES });
      if (answer.isCut) throw new Error(`${url} returned more than ${MAX_BYTES} bytes`);
      const { status } = answer;
      const bytes = BODILESS.includes(status) ? null : new Uint8Array(answer.body);
      return new Response(bytes, { status, headers: toHeaders(answer.headers) });
    } catch (cause) {
      const why = cause instanceof OutboundError ? cause.message : 'Try again later.';
      throw createError('unavailable', `The sign-in of ${hostOf(url)} does not respond. ${why}`, { cause });
    }
  };
}

async function headOf(outbound: Outbound, request: Parameters<Outbound['request']>[0]) {
  const { status, headers, discard } = await outbound.request(request);
  discard();
  return { status, headers, body: [], isCut: false };
}

function toHeaders(headers: Readonly<Record<string, string | readonly string[] | undefined>>): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
}

/** Returns the host of a URL for messages to users; the rest of the URL is not shown. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the provider';
}
