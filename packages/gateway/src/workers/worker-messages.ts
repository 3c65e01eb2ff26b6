import type { Refusal } from '../admission/refusal.ts';
import type { ServedTarget } from '../port/gateway.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';

/**
 * A batch of messages from the core to a worker, sent once per turn of the event loop. Two processes share no monotonic clock, so times
 * are sent as ages (milliseconds since) or as remaining times (milliseconds until). The core numbers pools and instances; the worker
 * numbers tickets.
 */
export type ToWorker = readonly CoreMessage[];
/** A batch of messages from a worker to the core, sent once per turn of the event loop. */
export type FromWorker = readonly WorkerMessage[];

/** A message from the core to a worker. */
export type CoreMessage =
  /** The first message. The secret verifies signed request timeouts (`berth-timeout`). */
  | { readonly kind: 'setup'; readonly policy: GatewayPolicy; readonly secret: string | Uint8Array }
  /** Requests of the deployment go to this pool from now on. The worker acknowledges it. */
  | { readonly kind: 'route'; readonly version: number; readonly pool: number; readonly target: ServedTarget }
  /** The deployment has lost its route. The worker acknowledges it. */
  | {
      readonly kind: 'unroute';
      readonly version: number;
      readonly deployment: string;
      readonly isClosing: boolean;
      /** Another core has the service, or will: its requests wait for that one, and those in flight go on. */
      readonly isMoved?: boolean;
    }
  /**
   * The core has these partitions from now on. The worker answers with `holding`, and sends no request of their services to another core
   * any more.
   */
  | { readonly kind: 'claim'; readonly version: number; readonly partitions: readonly PartitionEpoch[] }
  /** Checks that the worker responds. The worker acknowledges it. */
  | { readonly kind: 'ping'; readonly version: number }
  /** All current routes have been sent; the worker may take requests. */
  | { readonly kind: 'ready' }
  /** An instance. Sent once, before its first slot is granted. */
  | {
      readonly kind: 'instance';
      readonly pool: number;
      readonly instance: number;
      readonly id: string;
      readonly affinityKey: string;
      readonly host: string;
      readonly port: number;
      readonly useHttp2: boolean;
      /** Slots that the worker declared and the core counts; the worker returns those that it no longer uses. 0 by default. */
      readonly held?: number;
    }
  /** Grants the ticket a slot. `waited` is present when the request waited for the instance to start or resume. */
  | {
      readonly kind: 'grant';
      readonly ticket: number;
      readonly instance: number;
      readonly waited?: WaitAges;
    }
  | { readonly kind: 'refuse'; readonly ticket: number; readonly refusal: Refusal }
  /** Requests wait: the worker returns the parked slots of the pool, and each slot that comes free, until `resume`. */
  | { readonly kind: 'recall' | 'resume'; readonly pool: number }
  /** The instance takes no new requests until the next grant: the worker returns its slots as they come free. */
  | { readonly kind: 'out'; readonly instance: number }
  /** Sends the WebSockets of the instance a close frame. */
  | { readonly kind: 'closeTunnels'; readonly instance: number }
  /** Closes idle connections to the instance. */
  | { readonly kind: 'prune'; readonly instance: number }
  /** Breaks off all connections to the instance, which has ended or is being stopped. */
  | { readonly kind: 'breakOff'; readonly instance: number }
  /** The instance is gone and the worker holds no slot of it. */
  | { readonly kind: 'forget'; readonly instance: number };

/** A partition of services, and the epoch in which a core has it: a lower one is out of date. */
export interface PartitionEpoch {
  readonly number: number;
  readonly epoch: number;
}

/** Slots of an instance that requests of a worker use. */
export interface HeldSlots {
  /** Name of the route, as in all messages. */
  readonly deployment: string;
  readonly instance: string;
  readonly count: number;
}

/** Ages of the steps of a cold start or resume, in milliseconds before the grant was sent. */
export interface WaitAges {
  readonly queuedMs: number;
  readonly scheduledMs: number;
  readonly spawnedMs: number;
  readonly readyMs: number;
  /** Absent when the instance was never resumed. */
  readonly resumedMs?: number;
}

/** A message from a worker to the core. */
export type WorkerMessage =
  /** The first message. From now on the worker must acknowledge in time. */
  | { readonly kind: 'hello' }
  /** Asks for a slot for a request. */
  | {
      readonly kind: 'ask';
      readonly ticket: number;
      readonly deployment: string;
      /** Milliseconds since the request's headers were complete. */
      readonly ageMs: number;
      /** Milliseconds until the request times out. */
      readonly leftMs: number;
      readonly queuedBytes: number;
      readonly affinityKey?: string;
      /** The request had a slot and couldn't be sent; it is served next. */
      readonly isFirst?: boolean;
    }
  /** The client of a waiting request has disconnected. */
  | { readonly kind: 'withdraw'; readonly ticket: number }
  /** Returns slots. The last of them came free `freeMs` ago. */
  | { readonly kind: 'give'; readonly instance: number; readonly count: number; readonly freeMs: number }
  | { readonly kind: 'connectFailed'; readonly instance: number }
  /** All messages up to this version are processed. After a `route` or `unroute`, no new requests go to the previous pool. */
  | { readonly kind: 'ack'; readonly version: number }
  /** The answer to a `claim`: the slots in use of services in its partitions. */
  | { readonly kind: 'holding'; readonly version: number; readonly slots: readonly HeldSlots[] }
  /** Encoded records of completed requests, for the control plane; see record-batch.ts. */
  | { readonly kind: 'records'; readonly count: number; readonly records: Uint8Array };
