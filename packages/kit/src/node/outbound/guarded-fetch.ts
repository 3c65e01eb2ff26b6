import type { IncomingHttpHeaders } from 'node:http';
import { guardedRequest } from './guarded-request.ts';
import type { GuardedRequestOptions } from './guarded-request-options.ts';

/** A {@link GuardedRequestOptions} whose answer is short. */
export interface GuardedFetchOptions extends GuardedRequestOptions {
  /** For all of it: names, connecting, redirects, the answer. */
  readonly timeoutMs: number;
  /** Of the body; a longer one is cut there. */
  readonly maxBytes: number;
}

/** What was answered. */
export interface GuardedAnswer {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** At most `maxBytes` of it. */
  readonly body: Buffer;
  /** There was more. */
  readonly isCut: boolean;
}

/** {@link guardedRequest} that reads the answer to its end, or to `maxBytes`. @throws what that does. */
export async function guardedFetch(options: GuardedFetchOptions): Promise<GuardedAnswer> {
  const { maxBytes, ...request } = options;
  const { url, status, headers, body } = await guardedRequest({ ...request, totalMs: options.timeoutMs });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.byteLength;
    // Leaving the loop closes the connection.
    if (size > maxBytes) break;
  }
  return { url, status, headers, body: Buffer.concat(chunks).subarray(0, maxBytes), isCut: size > maxBytes };
}
