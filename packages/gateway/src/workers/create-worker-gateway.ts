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

/** What a worker's part of the gateway is built with. */
export interface WorkerGatewayOptions {
  /** To the core. */
  readonly port: MessagePort<ToWorker, FromWorker>;
  readonly clock: Clock;
  /** As for `createGateway`, as the next. */
  readonly trustedProxies?: readonly string[];
  readonly random?: (bytes: Buffer) => void;
  /** When what is to be said to the core is sent; at the end of the event loop's turn by default. */
  readonly defer?: Defer;
}

/** The part of a gateway that serves requests in a process of its own. It knows no environment and starts nothing. */
export interface WorkerGateway extends RequestHandlers {
  /** Resolves when all routes are known: until then every deployment is unknown. @throws Error when the port closes before. */
  readonly ready: Promise<void>;
  /**
   * Answers 503 from now on, lets what runs finish for `drainMs` (the policy's `closeDrainMs` by default), WebSockets told to go at
   * once; then breaks off the rest and closes the port. Idempotent.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** Makes a worker's part of the gateway. All numbers it decides by come from the core. */
export function createWorkerGateway({
  port,
  clock,
  trustedProxies = [],
  random = randomFillSync,
  defer,
}: WorkerGatewayOptions): WorkerGateway {
  const client = new SlotClient({ port, clock, defer, createUpstreams: (policy) => createUpstreams(clock, policy) });
  const records = createRecordBatcher({
    clock,
    send: (encoded, count) => client.send({ kind: 'records', records: encoded, count }),
  });
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
