import type { IncomingHttpHeaders } from 'node:http';
import { guardedRequest } from './guarded-request.ts';
import type { GuardedRequestOptions } from './guarded-request-options.ts';

/** The beginning of a body. */
export interface ReadBody {
  /** At most `maxBytes` bytes. */
  readonly body: Buffer;
  /** True when there was more. */
  readonly isCut: boolean;
}

/** A {@link GuardedRequestOptions} with a short response. */
export interface GuardedFetchOptions extends GuardedRequestOptions {
  /** Timeout for everything: names, connecting, redirects, the response. */
  readonly timeoutMs: number;
  /** Maximum bytes of the body; a longer one is cut. */
  readonly maxBytes: number;
}

/** A response with its body. */
export interface GuardedAnswer extends ReadBody {
  /** Final URL, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** Runs {@link guardedRequest} and reads the response to its end, or to `maxBytes`. @throws as that does. */
export async function guardedFetch(options: GuardedFetchOptions): Promise<GuardedAnswer> {
  const { maxBytes, ...request } = options;
  const { url, status, headers, body } = await guardedRequest({ ...request, totalMs: options.timeoutMs });
  return { url, status, headers, ...(await readUpTo(body, maxBytes)) };
}

/** Reads a body to its end, or to `maxBytes`; stopping there closes its connection. @throws what the body throws. */
export async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}
