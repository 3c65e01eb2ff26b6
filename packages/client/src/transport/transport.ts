import { createError } from '@berth/contract/errors';
import { BerthError, backoffMs, type Clock, createSystemClock } from '@berth/kit';
import createFetchClient from 'openapi-fetch';
import type { HttpMethod } from 'openapi-typescript-helpers';
import { parseBaseUrl } from './base-url.ts';
import { connectionError } from './connection-error.ts';
import { type Credential, credentialHeaders } from './credential.ts';
import { responseError } from './response-error.ts';

/** An API call has a short answer; a server that takes longer is considered dead. */
const ANSWER_TIMEOUT_MS = 30_000;

/** How calls of a route differ from others. */
export interface RouteSettings {
  /** A POST that may be sent again when it isn't known whether the first one arrived. */
  readonly isIdempotent?: true;
  /** How long the answer may take; 30 s when absent. */
  readonly timeoutMs?: number;
  /** The answer is an array; another server at the address is recognized by an answer that isn't one. */
  readonly isList?: true;
}

/** Options of every client. */
export interface ConnectionOptions {
  /** Address of the server, e.g. `http://localhost:8787`. */
  readonly baseUrl: string;
  /** Sends the requests; the global one by default. */
  readonly fetch?: typeof fetch;
  readonly userAgent?: string | undefined;
  readonly clock?: Clock;
  /** Ends every call that has no signal of its own; they throw its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Renews the session whose call to `path` was refused with 401.
 * @returns whether the call is to be made again; false for calls that no session would help
 * @throws the signal's reason
 */
export type RenewSession = (path: string, signal: AbortSignal | undefined) => Promise<boolean>;

export interface TransportOptions extends ConnectionOptions {
  readonly credential?: Credential | undefined;
  /** Headers of every request, besides those of the credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Asked when a call is refused with 401; the call is made again, with a new time limit, when it resolves to true. */
  readonly renewSession?: RenewSession | undefined;
  /** By method and path of the OpenAPI document, e.g. `POST /v1/sql`. */
  readonly routes?: Readonly<Record<string, RouteSettings>> | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

/** One request. */
export interface Call extends CallOptions {
  readonly method: HttpMethod;
  /** A path of the OpenAPI document, e.g. `/v1/deploys/{deploy_id}/events`. */
  readonly path: string;
  readonly params?: {
    readonly path?: Readonly<Record<string, unknown>> | undefined;
    /** Fields that are undefined are left out. */
    readonly query?: Readonly<Record<string, unknown>> | undefined;
  };
  readonly body?: unknown;
  /** Never sent again, whatever the route: the caller retries by itself. */
  readonly isOnce?: true;
}

/** HTTP with the API's conventions: credential, errors, retries. */
export interface Transport {
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly fetch: typeof fetch;
  /** The signal of calls that have none of their own. */
  readonly signal: AbortSignal | undefined;
  /** Headers of every request. */
  headers(): Record<string, string>;
  /** Undefined for a 204. @throws a BerthError for every answer but 2xx, `unavailable` when there was none. */
  json<Answer>(call: Call): Promise<Answer>;
  /** One try, no time limit once it is answered; the caller reads the body. @throws as `json`. */
  open(call: Call): Promise<ReadableStream<Uint8Array>>;
}

/** @throws `bad_request` or `unauthenticated` for a base URL or credential that can't be one. */
export function createTransport(options: TransportOptions): Transport {
  // Browsers refuse `fetch` when it is called as a method of something else.
  const { fetch = globalThis.fetch.bind(globalThis), clock = createSystemClock() } = options;
  const baseUrl = parseBaseUrl(options.baseUrl);
  const common: Readonly<Record<string, string>> = {
    ...options.headers,
    ...credentialHeaders(options.credential),
    ...(options.userAgent ? { 'user-agent': options.userAgent } : {}),
  };
  const { request } = createFetchClient<Record<string, Record<HttpMethod, object>>>({
    baseUrl,
    headers: common,
    // A followed redirect would carry the key to whatever host it names.
    redirect: 'manual',
    fetch: async (asked) => {
      const answer = await fetch(asked);
      if (!answer.ok) throw responseError(answer, await answer.text(), asked.url);
      return answer;
    },
  });

  function send({ method, path, params, body }: Call, signal: AbortSignal, parseAs: 'json' | 'stream') {
    const init: Record<string, unknown> = { params, body, signal, parseAs };
    return request(method, path, init);
  }

  async function attempt<Value>(signal: AbortSignal | undefined, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw connectionError(error, baseUrl);
    }
  }

  const renewal = ({ path }: Call, signal: AbortSignal | undefined) => {
    const { renewSession } = options;
    return renewSession && (() => renewSession(path, signal));
  };

  async function readJson<Answer>(call: Call, signal: AbortSignal, { isList }: RouteSettings): Promise<Answer> {
    const { data, response } = await send(call, signal, 'json').catch((error: unknown) => {
      throw error instanceof SyntaxError ? notJson(baseUrl, error) : error;
    });
    if (data === undefined && response.status !== 204) throw notJson(baseUrl);
    if (isList && !Array.isArray(data)) {
      throw createError('bad_request', `The response of ${baseUrl + call.path} is not a list. Is it a Berth server?`);
    }
    return data as Answer;
  }

  return {
    baseUrl,
    clock,
    fetch,
    signal: options.signal,
    headers: () => ({ ...common }),
    json: <Answer>(call: Call) => {
      const signal = call.signal ?? options.signal;
      const settings = options.routes?.[`${call.method.toUpperCase()} ${call.path}`] ?? {};
      const once = () =>
        attempt(signal, () => {
          const limit = AbortSignal.timeout(settings.timeoutMs ?? ANSWER_TIMEOUT_MS);
          return readJson<Answer>(call, signal ? AbortSignal.any([signal, limit]) : limit, settings);
        });
      const isRepeated = !call.isOnce && (call.method === 'get' || settings.isIdempotent);
      return withSession(isRepeated ? () => withRetries(once, clock, signal) : once, renewal(call, signal));
    },
    open: (call) => {
      const signal = call.signal ?? options.signal;
      const once = async () => {
        const limit = new AbortController();
        const timer = clock.setTimer(ANSWER_TIMEOUT_MS, () =>
          limit.abort(new DOMException('no answer', 'TimeoutError')),
        );
        try {
          const { data } = await send(call, signal ? AbortSignal.any([signal, limit.signal]) : limit.signal, 'stream');
          if (!data) throw createError('internal', `${baseUrl + call.path} returned no body.`);
          return data;
        } finally {
          timer.cancel();
        }
      };
      return withSession(() => attempt(signal, once), renewal(call, signal));
    },
  };
}

function notJson(baseUrl: string, cause?: unknown): BerthError {
  return createError('bad_request', `The response of ${baseUrl} is not JSON. Is it a Berth server?`, { cause });
}

/** A person waits for the answer: a server that asks for a longer wait than this is believed to be down. */
const LONGEST_WAIT_MS = 5_000;
const TRIES = 3;

/**
 * Runs `call`, and again after a growing wait while it fails with a retryable error, three times in all. A server's
 * `Retry-After` is kept.
 * @throws the last error, or the signal's reason.
 */
async function withRetries<Value>(call: () => Promise<Value>, clock: Clock, signal?: AbortSignal): Promise<Value> {
  for (let failures = 0; ; ) {
    try {
      return await call();
    } catch (error) {
      failures++;
      if (signal?.aborted || !BerthError.is(error) || !error.isRetryable || failures === TRIES) throw error;
      const asked = Number(error.details['retryAfterMs'] ?? 0);
      if (asked > LONGEST_WAIT_MS) throw error;
      await clock.sleep(Math.max(asked, backoffMs(failures - 1, { baseMs: 200, maxMs: 2_000 })), signal);
    }
  }
}

/** Runs `work`, and again where it is refused with 401 and the session could be renewed. */
async function withSession<Value>(
  work: () => Promise<Value>,
  renew: (() => Promise<boolean>) | undefined,
): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (!renew || !BerthError.is(error, 'unauthenticated') || !(await renew())) throw error;
    return work();
  }
}
