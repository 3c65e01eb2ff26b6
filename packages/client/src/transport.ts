import type { Clock } from '@berth/kit';
import { parseBaseUrl } from './base-url.ts';
import { clientError } from './client-error.ts';
import { connectionError } from './connection-error.ts';
import { type Credential, credentialHeaders } from './credential.ts';
import { responseError } from './response-error.ts';
import { withRetries } from './with-retries.ts';
import { type RenewSession, withSession } from './with-session.ts';

/** One answer of the API is small; a server that needs longer is taken for dead. */
const ANSWER_TIMEOUT_MS = 30_000;

export interface TransportOptions {
  readonly baseUrl: string;
  readonly credential?: Credential | undefined;
  readonly fetch: typeof fetch;
  readonly userAgent?: string | undefined;
  /** Of every request, besides those of the credential. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly clock: Clock;
  /** Ends every call that has no signal of its own. */
  readonly signal?: AbortSignal | undefined;
  /** Asked when a call is refused with 401; the call is made once more, with all of its time, where it answers true. */
  readonly renewSession?: RenewSession | undefined;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface Call extends CallOptions {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Absolute path with its query, e.g. `/v1/user`. */
  readonly path: string;
  readonly body?: unknown;
  /** Whether the call may be sent again when it is not known whether it arrived. GET calls always are. */
  readonly isIdempotent?: boolean;
  /** How long the answer may take; 30 s when absent. */
  readonly timeoutMs?: number;
}

/** HTTP with the API's conventions: credential, errors, retries. */
export interface Transport {
  readonly baseUrl: string;
  readonly clock: Clock;
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
  const baseUrl = parseBaseUrl(options.baseUrl);
  const common: Readonly<Record<string, string>> = {
    ...options.headers,
    ...credentialHeaders(options.credential),
    ...(options.userAgent ? { 'user-agent': options.userAgent } : {}),
  };

  async function send({ method, path, body }: Call, signal: AbortSignal | undefined): Promise<Response> {
    const url = baseUrl + path;
    const answer = await options.fetch(url, {
      method,
      headers: { ...common, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
      // A followed redirect would carry the key to whatever host it names.
      redirect: 'manual',
      ...(signal ? { signal } : {}),
    });
    if (!answer.ok) throw responseError(answer, await answer.text(), url);
    return answer;
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

  const callOnce = <Answer>(call: Call, signal: AbortSignal | undefined): Promise<Answer> =>
    attempt(signal, async () => {
      const limit = AbortSignal.timeout(call.timeoutMs ?? ANSWER_TIMEOUT_MS);
      const answer = await send(call, signal ? AbortSignal.any([signal, limit]) : limit);
      return answer.status === 204 ? (undefined as Answer) : readJson<Answer>(await answer.text(), baseUrl);
    });

  return {
    baseUrl,
    clock: options.clock,
    signal: options.signal,
    headers: () => ({ ...common }),
    json: <Answer>(call: Call) => {
      const signal = call.signal ?? options.signal;
      const isOnce = call.method !== 'GET' && !call.isIdempotent;
      const once = () => callOnce<Answer>(call, signal);
      return withSession(isOnce ? once : () => withRetries(once, options.clock, signal), renewal(call, signal));
    },
    open: (call) => {
      const signal = call.signal ?? options.signal;
      const once = async () => {
        const limit = new AbortController();
        const timer = options.clock.setTimer(ANSWER_TIMEOUT_MS, () =>
          limit.abort(new DOMException('no answer', 'TimeoutError')),
        );
        try {
          const answer = await send(call, signal ? AbortSignal.any([signal, limit.signal]) : limit.signal);
          if (!answer.body) throw clientError('internal', `${baseUrl + call.path} answered without a body.`);
          return answer.body;
        } finally {
          timer.cancel();
        }
      };
      return withSession(() => attempt(signal, once), renewal(call, signal));
    },
  };
}

function readJson<Answer>(text: string, baseUrl: string): Answer {
  try {
    return JSON.parse(text) as Answer;
  } catch (error) {
    throw clientError('bad_request', `What ${baseUrl} answered is not JSON. Is it a Berth server?`, { cause: error });
  }
}
