import type { Refusal } from '../admission/refusal.ts';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import type { ServedTarget } from '../port/served-target.ts';

/**
 * What the core and its workers say to each other; the batches of one turn of the event loop go in one message. Clocks of two processes have nothing
 * in common, so times are sent as ages (milliseconds since) and as what is left (milliseconds until). Pools, instances and tickets
 * are numbers: those of pools and instances the core's, those of tickets the worker's.
 */
export type ToWorker = readonly CoreMessage[];
export type FromWorker = readonly WorkerMessage[];

export type CoreMessage =
  /** The first message of all. The secret is what other timeouts of single requests are signed with. */
  | { readonly kind: 'setup'; readonly policy: GatewayPolicy; readonly secret: string | Uint8Array }
  /** From here on requests of the deployment are for this pool; to be acknowledged. */
  | { readonly kind: 'route'; readonly version: number; readonly pool: number; readonly target: ServedTarget }
  /** The deployment has no route any more; to be acknowledged. */
  | { readonly kind: 'unroute'; readonly version: number; readonly deployment: string; readonly isClosing: boolean }
  /** To be acknowledged. */
  | { readonly kind: 'ping'; readonly version: number }
  /** All routes there are have been sent: the worker may take requests. */
  | { readonly kind: 'ready' }
  /** An instance that is granted slots of; said once before the first. */
  | {
      readonly kind: 'instance';
      readonly pool: number;
      readonly instance: number;
      readonly id: string;
      readonly affinityKey: string;
      readonly host: string;
      readonly port: number;
      readonly useHttp2: boolean;
    }
  /** The ticket has a slot. `waited` is there when it waited for the instance to start or to be thawed. */
  | {
      readonly kind: 'grant';
      readonly ticket: number;
      readonly instance: number;
      readonly waited?: WaitAges;
    }
  | { readonly kind: 'refuse'; readonly ticket: number; readonly refusal: Refusal }
  /** Requests wait: give parked slots of the pool back, and each slot as it comes free, until `resume`. */
  | { readonly kind: 'recall' | 'resume'; readonly pool: number }
  /** The instance takes nothing more until it is granted again: give its slots back as they come free. */
  | { readonly kind: 'out'; readonly instance: number }
  /** Tell its WebSockets to go away. */
  | { readonly kind: 'closeTunnels'; readonly instance: number }
  /** Close connections to it that carry nothing. */
  | { readonly kind: 'prune'; readonly instance: number }
  /** It has ended or must: break off all that goes to it. */
  | { readonly kind: 'breakOff'; readonly instance: number }
  /** Nothing of it is left; the core knows of no slot of it. */
  | { readonly kind: 'forget'; readonly instance: number };

/** How long ago the steps of a cold start, or of a thaw, were when the grant was sent. */
export interface WaitAges {
  readonly queuedMs: number;
  readonly scheduledMs: number;
  readonly spawnedMs: number;
  readonly readyMs: number;
  /** Absent when it was never thawed. */
  readonly resumedMs?: number;
}

export type WorkerMessage =
  /** The first message of all: from here on it answers in time. */
  | { readonly kind: 'hello' }
  /** A request wants a slot. */
  | {
      readonly kind: 'ask';
      readonly ticket: number;
      readonly deployment: string;
      /** Since its headers were in. */
      readonly ageMs: number;
      /** Until its service's timeout. */
      readonly leftMs: number;
      readonly queuedBytes: number;
      readonly affinityKey?: string;
      /** It had its turn and could not be sent: it is the next. */
      readonly isFirst?: boolean;
    }
  /** The client of a waiting request is gone. */
  | { readonly kind: 'withdraw'; readonly ticket: number }
  /** Gives slots back, the last of which was used `freeMs` ago. */
  | { readonly kind: 'give'; readonly instance: number; readonly count: number; readonly freeMs: number }
  | { readonly kind: 'connectFailed'; readonly instance: number }
  /** All up to this is done; of a `route` or `unroute`: nothing new goes to what had the route before. */
  | { readonly kind: 'ack'; readonly version: number }
  /** Requests that ended; for the control plane, see record-batch.ts. */
  | { readonly kind: 'records'; readonly count: number; readonly records: Uint8Array };
