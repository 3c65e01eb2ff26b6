import type { IncomingHttpHeaders } from 'node:http';
import { guardedRequest } from './guarded-request.ts';
import type { GuardedRequestOptions } from './guarded-request-options.ts';
import { type ReadBody, readUpTo } from './read-up-to.ts';

/** A {@link GuardedRequestOptions} whose answer is short. */
export interface GuardedFetchOptions extends GuardedRequestOptions {
  /** For all of it: names, connecting, redirects, the answer. */
  readonly timeoutMs: number;
  /** Of the body; a longer one is cut there. */
  readonly maxBytes: number;
}

/** What was answered. */
export interface GuardedAnswer extends ReadBody {
  /** Where it came from, after redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** {@link guardedRequest} that reads the answer to its end, or to `maxBytes`. @throws what that does. */
export async function guardedFetch(options: GuardedFetchOptions): Promise<GuardedAnswer> {
  const { maxBytes, ...request } = options;
  const { url, status, headers, body } = await guardedRequest({ ...request, totalMs: options.timeoutMs });
  return { url, status, headers, ...(await readUpTo(body, maxBytes)) };
}
