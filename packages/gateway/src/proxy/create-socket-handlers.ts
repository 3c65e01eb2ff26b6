import { randomBytes, randomFillSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '@berth/kit';
import { createProxyTrust } from '@berth/kit/node';
import type { Refusal } from '../admission/refusal.ts';
import type { SlotPool } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { createHttp1Upstream } from '../upstream/http1/create-http1-upstream.ts';
import { createRequestHandlers } from './create-request-handlers.ts';
import { createTraceSource } from './trace-context.ts';

/** Options of {@link createSocketHandlers}. */
export interface SocketHandlersOptions {
  /** Path of a UNIX socket whose server speaks HTTP/1.1. */
  readonly socketPath: string;
  readonly clock: Clock;
  /** Trusted proxies, as for `createGateway`. */
  readonly trustedProxies?: readonly string[];
}

/** Request handlers that forward to a server of the platform. */
export interface SocketHandlers {
  handleRequest(request: IncomingMessage, response: ServerResponse): void;
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Effectively no timeout, for uploads and followed logs. Within the range of a timer. */
const TIMEOUT_MS = 24 * 3_600_000;
const NAME = 'berth';

const AWAY: Refusal = {
  status: 503,
  reason: 'control_plane_away',
  message: "Berth's control plane is restarting; services keep running. Try again in a moment.",
  retryAfterSeconds: 1,
  format: 'json',
};

const BROKEN: Refusal = {
  status: 502,
  reason: 'control_plane_broke_off',
  message:
    "Berth's control plane stopped before it responded and is restarting. Check whether the request took effect before repeating it.",
  format: 'json',
};

/**
 * Creates handlers that forward requests to a UNIX socket in the same way as to an instance: streamed, with proxy headers, retried once
 * where that is safe. They answer 503 while no server listens on the socket. The requests are not recorded.
 */
export function createSocketHandlers({
  socketPath,
  clock,
  trustedProxies = [],
}: SocketHandlersOptions): SocketHandlers {
  const policy = DEFAULT_POLICY;
  const { connectTimeoutMs, upstreamIdleMs: idleMs } = policy;
  const instance: ServingInstance = {
    id: NAME,
    affinityKey: '',
    upstream: createHttp1Upstream({ clock, path: socketPath, connectTimeoutMs, idleMs }),
    tunnels: new Set(),
    ...{ scheduledAtMs: null, spawnedAtMs: null, readyAtMs: null, resumedAtMs: null },
  };
  let isAway = false;
  /** A pool of one instance with unlimited slots. Every request is granted at once. */
  const pool: SlotPool = {
    target: {
      account: '',
      deployment: NAME,
      revision: '',
      timeoutMs: TIMEOUT_MS,
      concurrency: Number.POSITIVE_INFINITY,
      sessionAffinity: false,
    },
    timeouts: new TimeoutList(clock),
    admit: (ticket) => ticket.grant(instance, pool),
    readmit(ticket) {
      // `isAway` was set by the same request in this turn of the event loop.
      if (isAway) ticket.refuse(AWAY);
      else ticket.grant(instance, pool);
      isAway = false;
    },
    withdraw() {},
    release() {},
    onConnectFailed() {
      isAway = true;
    },
    refusalOf: () => BROKEN,
  };
  const handlers = createRequestHandlers(
    {
      clock,
      policy,
      // A random secret: no request timeouts are signed for this server.
      secret: randomBytes(32),
      events: { onRequest() {} },
      traces: createTraceSource(randomFillSync),
      proxies: createProxyTrust(trustedProxies),
      isPlatform: true,
    },
    { find: () => ({ deployment: NAME, current: pool }), isClosing: false },
  );
  return {
    handleRequest: (request, response) => handlers.handleRequest(NAME, request, response),
    handleUpgrade: (request, socket, head) => handlers.handleUpgrade(NAME, request, socket, head),
  };
}
