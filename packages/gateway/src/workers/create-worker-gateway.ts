import { randomFillSync } from 'node:crypto';
import type { Clock } from '@berth/kit';
import { createProxyTrust } from '@berth/kit/node';
import type { RequestHandlers } from '../port/gateway.ts';
import { createRequestHandlers } from '../proxy/create-request-handlers.ts';
import { createTraceSource } from '../proxy/trace-context.ts';
import { createUpstreams } from '../upstream/create-upstream.ts';
import type { MessagePort } from './message-port.ts';
import type { Defer } from './outbox.ts';
import { createRecordBatcher } from './record-batch.ts';
import { SlotClient } from './slot-client.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

/** Options of {@link createWorkerGateway}. */
export interface WorkerGatewayOptions {
  /** The port to the core. */
  readonly port: MessagePort<ToWorker, FromWorker>;
  readonly clock: Clock;
  /** Trusted proxies, as for `createGateway`. */
  readonly trustedProxies?: readonly string[];
  /** Source of randomness, as for `createGateway`. */
  readonly random?: (bytes: Buffer) => void;
  /** Schedules the sending of messages to the core; by default at the end of the event loop's turn. */
  readonly defer?: Defer;
}

/** The part of a gateway that serves requests in a worker process. It has no environment variables of services and starts no instances. */
export interface WorkerGateway extends RequestHandlers {
  /** Resolves when all routes are known. Until then every deployment is unknown. @throws Error when the port closes first. */
  readonly ready: Promise<void>;
  /**
   * Answers new requests with 503, sends WebSockets a close frame, and lets running requests finish for `drainMs` (the policy's
   * `closeDrainMs` by default). Then breaks off the rest and closes the port. Idempotent.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Creates a worker's part of the gateway. Its policy comes from the core. */
export function createWorkerGateway({
  port,
  clock,
  trustedProxies = [],
  random = randomFillSync,
  defer,
}: WorkerGatewayOptions): WorkerGateway {
  const client = new SlotClient({ port, clock, defer, createUpstreams: (policy) => createUpstreams(clock, policy) });
  const records = createRecordBatcher(clock, (encoded, count) =>
    client.send({ kind: 'records', records: encoded, count }),
  );
  const handlers = createRequestHandlers(
    {
      clock,
      get secret() {
        return client.secret;
      },
      get policy() {
        return client.policy;
      },
      events: { onRequest: records.add },
      traces: createTraceSource(random),
      proxies: createProxyTrust(trustedProxies),
      isPlatform: false,
    },
    client,
  );
  let closed: Promise<void> | undefined;
  return {
    ...handlers,
    ready: client.ready,
    close({ drainMs } = {}) {
      closed ??= client.close(drainMs ?? client.policy.closeDrainMs, records.flush);
      return closed;
    },
  };
}
