import { randomBytes, randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@berth/kit';
import { createProxyTrust } from '@berth/kit/node';
import type { Refusal } from '../admission/refusal.ts';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { createHttp1Upstream } from '../upstream/http1/create-http1-upstream.ts';
import { createRequestHandlers } from './create-request-handlers.ts';
import { createFixedPool } from './fixed-pool.ts';
import { createTraceSource } from './trace-context.ts';

/** Where requests of a platform's own go. */
export interface SocketHandlersOptions {
  /** A UNIX socket on which HTTP/1.1 is spoken. */
  readonly socketPath: string;
  readonly clock: Clock;
  /** As for `createGateway`. */
  readonly trustedProxies?: readonly string[];
}

/** Passes requests on to a server of the platform's own. */
export interface SocketHandlers {
  handleRequest(request: IncomingMessage, response: ServerResponse): void;
}

/** No limit of the platform's own: uploads and followed logs take what they take. Below what a timer can hold. */
const TIMEOUT_MS = 24 * 3_600_000;
const NAME = 'berth';

const AWAY: Refusal = {
  status: 503,
  reason: 'control_plane_away',
  message: "Berth's control plane is restarting; services go on meanwhile. Try again in a moment.",
  retryAfterSeconds: 1,
  format: 'json',
};

const BROKEN: Refusal = {
  status: 502,
  reason: 'control_plane_broke_off',
  message:
    "Berth's control plane ended before it had answered; it is restarting. Look whether the request was carried out before you repeat it.",
  format: 'json',
};

/**
 * Hands requests on to a socket as it does to an instance: streamed, with the headers of a proxy, retried once where that is safe. While
 * nobody listens there it answers 503. They are recorded nowhere.
 */
export function createSocketHandlers({
  socketPath,
  clock,
  trustedProxies = [],
}: SocketHandlersOptions): SocketHandlers {
  const policy = DEFAULT_POLICY;
  const { connectTimeoutMs, upstreamIdleMs: idleMs } = policy;
  const pool = createFixedPool({
    clock,
    target: {
      account: '',
      deployment: NAME,
      revision: '',
      timeoutMs: TIMEOUT_MS,
      concurrency: Number.POSITIVE_INFINITY,
      sessionAffinity: false,
    },
    instance: {
      id: NAME,
      affinityKey: '',
      upstream: createHttp1Upstream({ clock, path: socketPath, connectTimeoutMs, idleMs }),
      tunnels: new Set(),
      scheduledAtMs: null,
      spawnedAtMs: null,
      readyAtMs: null,
      resumedAtMs: null,
    },
    awayRefusal: AWAY,
    refusalOf: () => BROKEN,
  });
  const handlers = createRequestHandlers(
    {
      clock,
      policy,
      // Nobody signs for it.
      secret: randomBytes(32),
      events: { onRequest() {} },
      traces: createTraceSource(randomFillSync),
      proxies: createProxyTrust(trustedProxies),
      isPlatform: true,
    },
    { find: () => ({ current: pool }), isClosing: false },
  );
  return { handleRequest: (request, response) => handlers.handleRequest(NAME, request, response) };
}
