import type { Outbound } from '@berth/agent-core';
import { createError } from '@berth/contract';
import { OutboundError } from '@berth/outbound';

/** A provider that says nothing must not hold a person for long. */
const TIMEOUT_MS = 10_000;
/** Metadata, tokens and registrations have a few kilobytes. */
const MAX_BYTES = 262_144;
/** Some providers moved their metadata. Nothing else follows redirects: they would take a secret along. */
const MAX_METADATA_REDIRECTS = 3;
/** Their answers have no body. Source: Fetch, "null body status". */
const BODILESS: readonly number[] = [101, 103, 204, 205, 304];

export interface ProviderRequestInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | URLSearchParams | undefined;
  /** Leaves the answer's body. */
  readonly isHeadEnough?: boolean;
}

/**
 * Asks an authorization server or a protected resource through the guarded way out, and holds all of its answer.
 * @throws `unavailable` with a sentence for people, when nothing of use is answered.
 */
export type ProviderFetch = (url: string, init?: ProviderRequestInit) => Promise<Response>;

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
      if (answer.isCut) throw new Error(`${url} answers more than ${MAX_BYTES} bytes`);
      const { status } = answer;
      const bytes = BODILESS.includes(status) ? null : new Uint8Array(answer.body);
      return new Response(bytes, { status, headers: toHeaders(answer.headers) });
    } catch (cause) {
      const why = cause instanceof OutboundError ? cause.message : 'Try again later.';
      throw createError('unavailable', `The sign-in of ${hostOf(url)} does not answer. ${why}`, { cause });
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

/** For sentences that people read: nothing else of the address is theirs to know. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'the provider';
}
