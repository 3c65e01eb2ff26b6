import type { Timer } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';

/** Who hears what becomes of the tickets of a worker. */
export interface TicketOwner {
  onGranted(ticket: RemoteTicket, instance: ServingInstance, pool: SlotPool): void;
  onRefused(ticket: RemoteTicket, refusal: Refusal): void;
}

/** What a worker's request is to admission. */
export interface RemoteTicketInput {
  /** The worker's own number of it. */
  readonly number: number;
  readonly deployment: string;
  /** Monotonic, of this process, as the next. */
  readonly arrivedAtMs: number;
  readonly timeoutAtMs: number;
  readonly queuedBytes: number;
  readonly affinityKey: string | undefined;
}

/** The stand-in of a request that is in a worker. */
export class RemoteTicket implements Ticket {
  readonly number: number;
  readonly deployment: string;
  readonly arrivedAtMs: number;
  readonly timeoutAtMs: number;
  readonly queuedBytes: number;
  readonly affinityKey: string | undefined;
  readonly #owner: TicketOwner;
  next: Ticket | null = null;
  previous: Ticket | null = null;
  isQueued = false;
  queuedAtMs: number | null = null;
  queueDeadlineMs = 0;
  queueTimer: Timer | null = null;

  constructor(owner: TicketOwner, input: RemoteTicketInput) {
    this.#owner = owner;
    this.number = input.number;
    this.deployment = input.deployment;
    this.arrivedAtMs = input.arrivedAtMs;
    this.timeoutAtMs = input.timeoutAtMs;
    this.queuedBytes = input.queuedBytes;
    this.affinityKey = input.affinityKey;
  }

  grant(instance: ServingInstance, pool: SlotPool): void {
    this.#owner.onGranted(this, instance, pool);
  }

  refuse(refusal: Refusal): void {
    this.#owner.onRefused(this, refusal);
  }
}
