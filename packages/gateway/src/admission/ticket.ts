import type { Timer } from '@berth/kit';
import type { ServingInstance } from '../instances/serving-instance.ts';
import type { ServedTarget } from '../port/gateway.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';
import type { Refusal } from './refusal.ts';
import type { TimeoutList } from './timeout-list.ts';

/**
 * A request as admission sees it. It is admitted once, and its wait ends in exactly one of {@link grant}, {@link refuse} or
 * {@link SlotPool.withdraw}. The queue owns the fields below the blank line.
 */
export interface Ticket {
  /** When the request's headers were complete. Monotonic. */
  readonly arrivedAtMs: number;
  /** Arrival plus the service's timeout. */
  readonly timeoutAtMs: number;
  /** Estimated memory that the request takes while it waits. */
  readonly queuedBytes: number;
  /** The affinity key in the request's cookie; see {@link ServingInstance.affinityKey}. */
  readonly affinityKey: string | undefined;
  /** Gives the request a slot, which counts as in flight from this tick on. {@link SlotPool.release} returns it, once. */
  grant(instance: ServingInstance, pool: SlotPool): void;
  refuse(refusal: Refusal): void;
  /** Tells a waiting request that another route of the deployment serves it. */
  reroute(route: Route): void;

  next: Ticket | null;
  previous: Ticket | null;
  isQueued: boolean;
  /** When the request was first queued; null when it never was. */
  queuedAtMs: number | null;
  queueDeadlineMs: number;
  queueTimer: Timer | null;
}

/** The slots of a revision's instances, as a request sees them. */
export interface SlotPool {
  readonly target: ServedTarget;
  readonly timeouts: TimeoutList;
  /** Grants the request a slot at once, queues it, or refuses it. */
  admit(ticket: Ticket): void;
  /** Requeues a request that was granted a slot and couldn't be sent: it is served next. The caller has released its slot. */
  readmit(ticket: Ticket): void;
  /** Removes a queued request whose client has disconnected. */
  withdraw(ticket: Ticket): void;
  /** Returns a slot to the pool that granted it, once for each grant. */
  release(instance: ServingInstance): void;
  /** Reports that an instance refused the connection of a request. */
  onConnectFailed(instance: ServingInstance): void;
  /** Returns the refusal for a request that was sent to an instance and got no answer. */
  refusalOf(kind: UpstreamErrorKind): Refusal;
}

/** A route, as its requests see it. */
export interface Route {
  readonly deployment: string;
  /** The pool that takes requests; null before the first revision and after removal. */
  readonly current: SlotPool | null;
}
