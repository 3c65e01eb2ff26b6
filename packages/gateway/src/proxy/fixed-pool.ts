import type { Clock } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import { TimeoutList } from '../admission/timeout-list.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';
import type { ServedTarget } from '../port/served-target.ts';
import type { UpstreamErrorKind } from '../port/upstream.ts';

/** What a fixed pool is made of. */
export interface FixedPoolOptions {
  readonly clock: Clock;
  readonly target: ServedTarget;
  readonly instance: ServingInstance;
  /** What a client is told while nothing takes connections there. */
  readonly awayRefusal: Refusal;
  readonly refusalOf: (kind: UpstreamErrorKind) => Refusal;
}

/** A pool of one instance that it does not look after, and whose slots nobody counts: each request goes there at once. */
export function createFixedPool({ clock, target, instance, awayRefusal, refusalOf }: FixedPoolOptions): SlotPool {
  let isAway = false;
  const pool: SlotPool = {
    target,
    timeouts: new TimeoutList(clock),
    admit: (ticket: Ticket) => ticket.grant(instance, pool),
    readmit(ticket) {
      // Set by the same request just before: nothing comes in between.
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
