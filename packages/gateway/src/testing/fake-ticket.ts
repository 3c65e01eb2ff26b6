import type { Timer } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import type { ServiceInstance } from '../instances/service-instance.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';

/** A ticket without a connection, which records its outcome. */
export class FakeTicket<Instance extends ServingInstance = ServiceInstance> implements Ticket {
  readonly arrivedAtMs: number;
  readonly timeoutAtMs: number;
  readonly queuedBytes: number = 1;
  affinityKey: string | undefined = undefined;
  next: Ticket | null = null;
  previous: Ticket | null = null;
  isQueued = false;
  queuedAtMs: number | null = null;
  queueDeadlineMs = 0;
  queueTimer: Timer | null = null;

  readonly number: number;
  instance: Instance | null = null;
  pool: SlotPool | null = null;
  refusal: Refusal | null = null;
  /** Number of grants and refusals. */
  outcomes = 0;
  readonly onGrant: (ticket: FakeTicket<Instance>) => void;

  constructor(
    number: number,
    arrivedAtMs: number,
    timeoutMs: number,
    onGrant: (ticket: FakeTicket<Instance>) => void = () => {},
  ) {
    this.number = number;
    this.arrivedAtMs = arrivedAtMs;
    this.timeoutAtMs = arrivedAtMs + timeoutMs;
    this.onGrant = onGrant;
  }

  grant(instance: Instance, pool: SlotPool): void {
    this.outcomes++;
    this.instance = instance;
    this.pool = pool;
    this.onGrant(this);
  }

  refuse(refusal: Refusal): void {
    this.outcomes++;
    this.refusal = refusal;
  }

  reroute(): void {}
}
