import type { IncomingHttpHeaders } from 'node:http';
import { guardedRequest } from './guarded-request.ts';
import type { GuardedRequestOptions } from './guarded-request-options.ts';
import { type ReadBody, readUpTo } from './read-up-to.ts';

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
