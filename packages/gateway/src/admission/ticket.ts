import type { Timer } from '@berth/kit';
import type { ServingInstance } from '../instances/serving-instance.ts';
import type { ServedTarget } from '../port/served-target.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';
import type { Refusal } from './refusal.ts';
import type { TimeoutList } from './timeout-list.ts';

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
  /** The affinity key its cookie carries; see {@link ServingInstance.affinityKey}. */
  readonly affinityKey: string | undefined;
  /** It has a slot: the instance's in-flight count was raised in this tick. It is given back once, by {@link SlotPool.release}. */
  grant(instance: ServingInstance, pool: SlotPool): void;
  refuse(refusal: Refusal): void;

  next: Ticket | null;
  previous: Ticket | null;
  isQueued: boolean;
  /** When it was first put into a queue; null when it never was. */
  queuedAtMs: number | null;
  queueDeadlineMs: number;
  queueTimer: Timer | null;
}

/** The instances of a revision, as a request sees them. */
export interface SlotPool {
  readonly target: ServedTarget;
  readonly timeouts: TimeoutList;
  /** Takes a request: it is granted a slot at once, queued, or refused. */
  admit(ticket: Ticket): void;
  /** Takes back a request that was granted a slot and could not be sent: it is the next. Its slot is released before. */
  readmit(ticket: Ticket): void;
  /** The client of a queued request is gone. */
  withdraw(ticket: Ticket): void;
  /** Gives a granted slot back, to the pool that granted it; once for each grant. */
  release(instance: ServingInstance): void;
  /** An instance refused the connection for a request. */
  onConnectFailed(instance: ServingInstance): void;
  /** What a client is told when its request was sent and no answer came. */
  refusalOf(kind: UpstreamErrorKind): Refusal;
}

/** A deployment as its requests see it. */
export interface Route {
  /** Where requests go; null when it has no revision, or none any more. */
  readonly current: SlotPool | null;
}
