import type { Clock } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';
import type { ServedTarget } from '../port/served-target.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';

/** Options of {@link createFixedPool}. */
export interface FixedPoolOptions {
  readonly clock: Clock;
  readonly target: ServedTarget;
  readonly instance: ServingInstance;
  /** The refusal while the instance accepts no connections. */
  readonly awayRefusal: Refusal;
  readonly refusalOf: (kind: UpstreamErrorKind) => Refusal;
}

/** Creates a pool of one instance with unlimited slots, which it neither starts nor stops. Every request is granted at once. */
export function createFixedPool({ clock, target, instance, awayRefusal, refusalOf }: FixedPoolOptions): SlotPool {
  let isAway = false;
  const pool: SlotPool = {
    target,
    timeouts: new TimeoutList(clock),
    admit: (ticket: Ticket) => ticket.grant(instance, pool),
    readmit(ticket) {
      // `isAway` was set by the same request in this turn of the event loop.
      if (isAway) ticket.refuse(awayRefusal);
      else ticket.grant(instance, pool);
      isAway = false;
    },
    withdraw() {},
    release() {},
    onConnectFailed() {
      isAway = true;
    },
    refusalOf,
  };
  return pool;
}
