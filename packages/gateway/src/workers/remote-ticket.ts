import type { Timer } from '@berth/kit';
import type { Refusal } from '../admission/refusal.ts';
import type { SlotPool, Ticket } from '../admission/ticket.ts';
import type { ServingInstance } from '../instances/serving-instance.ts';

/** The receiver of the outcomes of a worker's tickets. */
export interface TicketOwner {
  onGranted(ticket: RemoteTicket, instance: ServingInstance, pool: SlotPool): void;
  onRefused(ticket: RemoteTicket, refusal: Refusal): void;
}

/** A worker's request, as admission needs it. */
export interface RemoteTicketInput {
  /** The worker's number for the request. */
  readonly number: number;
  readonly deployment: string;
  /** Monotonic time of this process. */
  readonly arrivedAtMs: number;
  /** Monotonic time of this process. */
  readonly timeoutAtMs: number;
  readonly queuedBytes: number;
  readonly affinityKey: string | undefined;
}

/** The core's ticket for a request that a worker serves. */
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
