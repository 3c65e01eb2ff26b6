import { ReadableStream } from 'node:stream/web';
import { decodeBody, type GuardedRequestOptions, type GuardedResponse, OutboundError } from '@berth/outbound';

/** Limits of a `fetch`. */
export interface FetchLimits {
  /** Time until the response begins; 30 s by default. */
  readonly timeoutMs?: number;
  /** Longest silence within the response, e.g. between two events; `timeoutMs` by default. */
  readonly silenceMs?: number;
  /** Limit of the decoded body; 10 MiB by default. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** Returns the body to send into the owner's networks, and nowhere else, in place of `body`. */
  ownerBody?(body: Uint8Array<ArrayBuffer>): Uint8Array;
}

const TIMEOUT_MS = 30_000;
const MAX_BYTES = 10 * 1_048_576;
const MAX_REDIRECTS = 5;
/** Statuses for which the `Response` constructor refuses a body. */
const EMPTY_STATUSES: readonly number[] = [101, 103, 204, 205, 304];

/**
 * Returns a `fetch` over a guarded client. It follows redirects within an origin, and to another origin without credentials. Unlike
 * in browsers, a POST follows 307 and 308 only.
 */
export function fetchOf(
  request: (request: OutboundRequest) => Promise<GuardedResponse>,
  { timeoutMs = TIMEOUT_MS, silenceMs = timeoutMs, maxBytes = MAX_BYTES, signal, ownerBody }: FetchLimits,
): typeof globalThis.fetch {
  return async (input, init) => {
    // `Request` normalizes every form of body and sets its header.
    const asked = new Request(input, init);
    const body = asked.body === null ? undefined : new Uint8Array(await asked.arrayBuffer());
    const answer = await request({
      url: asked.url,
      method: asked.method,
      headers: Object.fromEntries(asked.headers),
      ...(body && { body }),
      ...(body && ownerBody && { ownerBody: () => ownerBody(body) }),
      timeoutMs,
      silenceMs,
      maxRedirects: asked.redirect === 'follow' ? MAX_REDIRECTS : 0,
      signal: signal ? AbortSignal.any([signal, asked.signal]) : asked.signal,
    });
    if (asked.redirect === 'error' && answer.status >= 300 && answer.status < 400) {
      answer.discard();
      throw new OutboundError('refused', `${new URL(answer.url).host} redirects, which is not allowed here.`);
    }
    return responseOf(answer, maxBytes);
  };
}

function responseOf(answer: GuardedResponse, maxBytes: number): Response {
  const { url, status, headers: incoming } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const isEmpty = EMPTY_STATUSES.includes(status);
  if (isEmpty) answer.discard();
  const bytes = capped(decodeBody(incoming['content-encoding'], answer.body), maxBytes, url);
  // Both headers describe the encoded bytes, not the decoded ones.
  if (incoming['content-encoding'] !== undefined) {
    headers.delete('content-encoding');
    headers.delete('content-length');
  }
  const body = isEmpty ? null : (ReadableStream.from(bytes) as BodyInit);
  const response = new Response(body, { status, headers });
  Object.defineProperty(response, 'url', { value: url });
  return response;
}

async function* capped(body: AsyncIterable<Uint8Array>, maxBytes: number, url: string): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > maxBytes) {
      throw new OutboundError('too_long', `${new URL(url).host} answered more than ${maxBytes} bytes.`);
    }
    yield chunk;
  }
}

/** A request to a URL that a person, a model or a third-party server named. */
export interface OutboundRequest
  extends Omit<GuardedRequestOptions, 'protocols' | 'resolve' | 'isAllowed' | 'bodyFor' | 'connections' | 'clock'> {
  /** Returns the body to send into the owner's networks, and nowhere else, in place of `body`. */
  ownerBody?(): Uint8Array;
  /** Allows `http://` to the public internet too, for requests without secrets such as reading web pages. */
  readonly isHttpAllowed?: boolean;
}
