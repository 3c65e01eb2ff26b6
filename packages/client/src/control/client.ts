import type { DeploymentDetail, LogEntry, Message, MoveObjectRequest, SignedIn, SignInRequest } from '@berth/contract';
import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { paths } from '../generated/control-api.ts';
import { type ApiCalls, createApiCalls } from '../transport/api-calls.ts';
import type { Credential } from '../transport/credential.ts';
import {
  type CallOptions,
  type ConnectionOptions,
  createTransport,
  type RenewSession,
  type RouteSettings,
} from '../transport/transport.ts';
import { createDeployCalls, type DeployCalls } from './deploy.ts';
import { createFetchSendForm, type SendForm } from './send-form.ts';
import { type TailOptions, type TailSource, tailLogs } from './tail-logs.ts';

export interface ClientOptions extends ConnectionOptions {
  /** Absent for calls that need none, such as `health`. */
  readonly credential?: Credential | undefined;
  /** Sends uploads; `fetch` does where it is absent. */
  readonly sendForm?: SendForm;
  /** Renews a session that has ended; see {@link RenewSession}. */
  readonly renewSession?: RenewSession;
}

/**
 * The control plane's API. `get`, `post` and the others call any of its routes. Every call throws a BerthError: the server's own
 * sentence with its code, status and, for 422, `details.issues`; `unavailable` when there was no answer. GETs, and other
 * calls that may safely be repeated, are tried three times.
 */
export interface Client extends ApiCalls<paths>, DeployCalls {
  /** The server's address in its normal form. */
  readonly baseUrl: string;
  /** A deployment, or undefined when there is none of that name. @throws `forbidden` */
  findDeployment(name: string, options?: CallOptions): Promise<DeploymentDetail | undefined>;
  /** Log entries as they are written, without end, through restarts of the server. @throws `not_found`, `forbidden`, `invalid` */
  tailLogs(name: string, options?: TailOptions): AsyncGenerator<LogEntry>;
  /** Signs in; the token is a bearer credential for at most a day. @throws `unauthenticated` */
  signIn(request: SignInRequest, options?: CallOptions): Promise<TokenSignIn>;
  /** Asks once whether a person has let a device in (RFC 8628). @throws `bad_request` when they refused, or its code has expired */
  pollDevice(deviceCode: string, options?: CallOptions): Promise<TokenSignIn | 'authorization_pending' | 'slow_down'>;
  /**
   * Gives an object, or a folder with its `/`, another path; resolves when all of it has been moved.
   * @throws `not_found`; `conflict`, which names the object at the new path, unless `overwrite` is true
   */
  moveObject(request: MoveObjectRequest, options?: CallOptions): Promise<Message>;
  /**
   * A backup of the whole platform: a tar, compressed with zstd. For the operator. Made now, or that of a name in the bucket for backups.
   * @throws `forbidden`, `conflict`, `not_found`
   */
  openBackup(options?: CallOptions & { readonly name?: string }): Promise<ReadableStream<Uint8Array>>;
  /** Resolves when the server is up. @throws `unavailable` */
  health(options?: CallOptions): Promise<void>;
}

/** A sign-in whose answer holds the session's token; a page of the platform gets a cookie in its place. */
export type TokenSignIn = SignedIn & { readonly token: string };

/** The server waits up to a minute for the revision to serve. Source: docs/contract/control-plane.md, `SetEnvironmentResponse`. */
const ENVIRONMENT_TIMEOUT_MS = 90_000;
/** A query may take a minute, and wait in the queue before. */
const SQL_TIMEOUT_MS = 180_000;
/** Removing millions of files takes a while; there is one answer, at the end. */
const PRUNE_TIMEOUT_MS = 1_800_000;

/** The routes of the control plane whose calls differ from others. */
const CONTROL_ROUTES: { readonly [Route in `${'GET' | 'POST'} ${keyof paths}`]?: RouteSettings } = {
  'GET /v1/deployment/list': { isList: true },
  'GET /v1/env/list': { isList: true },
  'POST /v1/env/set': { timeoutMs: ENVIRONMENT_TIMEOUT_MS },
  'GET /v1/domain/list': { isList: true },
  'POST /v1/domain/verify': { isIdempotent: true },
  'POST /v1/deployment/logs': { isIdempotent: true },
  'POST /v1/deployment/logs/histogram': { isIdempotent: true },
  'POST /v1/deployment/logs/fields': { isIdempotent: true },
  'GET /v1/deployment/metrics': { timeoutMs: SQL_TIMEOUT_MS },
  'POST /v1/sql': { isIdempotent: true, timeoutMs: SQL_TIMEOUT_MS },
  'GET /v1/user/keys': { isList: true },
  'POST /v1/volume/create': { isIdempotent: true },
  'POST /v1/volume/upload': { isIdempotent: true },
  'POST /v1/volume/download': { isIdempotent: true },
  'POST /v1/deploys/{deploy_id}/cancel': { isIdempotent: true },
  'POST /v1/admin/accounts/plan': { isIdempotent: true },
  'POST /v1/admin/prune': { isIdempotent: true, timeoutMs: PRUNE_TIMEOUT_MS },
  'GET /v1/admin/reconcile': { timeoutMs: SQL_TIMEOUT_MS },
};

/** @throws `bad_request` or `unauthenticated` for a base URL or credential that can't be one. */
export function createClient(options: ClientOptions): Client {
  const transport = createTransport({ ...options, routes: CONTROL_ROUTES });
  const { baseUrl, clock } = transport;
  const calls = createApiCalls<paths>(transport);
  return {
    ...calls,
    ...createDeployCalls(transport, options.sendForm ?? createFetchSendForm(transport.fetch)),
    baseUrl,
    findDeployment: async (name, callOptions) => {
      try {
        return await calls.get('/v1/deployment/{name}', { params: { path: { name } }, ...callOptions });
      } catch (error) {
        if (BerthError.is(error, 'not_found')) return undefined;
        throw error;
      }
    },
    tailLogs: (name, tail = {}) => {
      const signal = tail.signal ?? options.signal;
      const source: TailSource = {
        baseUrl,
        clock,
        // The tail retries by itself, for as long as it takes.
        fetch: (body) => transport.json({ method: 'post', path: '/v1/deployment/logs', body, signal, isOnce: true }),
        open: (since) => {
          const query = {
            ...{ name, since, query: tail.query },
            ...(tail.withInstance && { with_instance: 'true' as const }),
          };
          return transport.open({ method: 'get', path: '/v1/deployment/logs/tail', params: { query }, signal });
        },
      };
      return tailLogs(source, name, { ...tail, signal });
    },
    signIn: async (body, callOptions) =>
      withToken(await calls.post('/v1/auth/sign-in/email', { body, ...callOptions })),
    pollDevice: async (deviceCode, callOptions) => {
      try {
        return withToken(
          await calls.post('/v1/auth/device/token', { body: { device_code: deviceCode }, ...callOptions }),
        );
      } catch (error) {
        const reason = BerthError.is(error) ? error.details['error'] : undefined;
        if (reason === 'authorization_pending' || reason === 'slow_down') return reason;
        throw error;
      }
    },
    async moveObject(body, callOptions) {
      for (;;) {
        const { detail, complete } = await calls.post('/v1/volume/move-object', { body, ...callOptions });
        if (complete) return { detail };
      }
    },
    openBackup: ({ name, ...callOptions } = {}) => {
      const path = name === undefined ? '/v1/admin/backup' : `/v1/admin/backups/${encodeURIComponent(name)}`;
      return transport.open({ method: 'get', path, ...callOptions });
    },
    health: async (callOptions) => {
      const body = await transport.open({ method: 'get', path: '/healthz', ...callOptions });
      await body.cancel();
    },
  };
}

/** Only a browser, whose session is a cookie, is answered without a token. */
function withToken({ token, ...rest }: SignedIn): TokenSignIn {
  if (token === undefined) throw createError('internal', "The server's sign-in response has no token.");
  return { ...rest, token };
}
