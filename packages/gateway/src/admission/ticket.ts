import type { Timer } from '@berth/kit';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RevisionPool } from '../services/revision-pool.ts';
import type { Refusal } from './refusal.ts';

/**
 * A request as admission sees it. It is handed in once and ends its wait in exactly one of {@link grant},
 * {@link refuse}, or being withdrawn by its owner. The fields below the line belong to the queue.
 */
export interface Ticket {
  /** Monotonic; when the headers were in. */
  readonly arrivedAtMs: number;
  /** Arrival plus the service's timeout. */
  readonly timeoutAtMs: number;
  /** What it holds in memory while it waits, by estimate. */
  readonly queuedBytes: number;
  /** The affinity key its cookie carries; see {@link ServiceInstance.affinityKey}. */
  readonly affinityKey: string | undefined;
  /** It has a slot: the instance's in-flight count was raised in this tick. It is given back once, by `pool.release`. */
  grant(instance: ServiceInstance, pool: RevisionPool): void;
  refuse(refusal: Refusal): void;

  next: Ticket | null;
  previous: Ticket | null;
  isQueued: boolean;
  /** When it was first put into a queue; null when it never was. */
  queuedAtMs: number | null;
  queueDeadlineMs: number;
  queueTimer: Timer | null;
}
