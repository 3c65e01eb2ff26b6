import type { Clock } from '@berth/kit';
import type { GatewayPolicy } from '../port/gateway-policy.ts';
import { queueDeadlineMs } from './queue-bounds.ts';
import type { Ticket } from './ticket.ts';
import { TicketList } from './ticket-list.ts';

/** Options of {@link RequestQueue}. */
export interface RequestQueueOptions {
  readonly clock: Clock;
  readonly policy: GatewayPolicy;
  /** Returns what a deadline depends on besides the ticket. Called each time that a deadline is computed. */
  readonly observe: (nowMs: number) => { readonly meanStartMs: number; readonly coldStartAgeMs: number };
  /** Called when a ticket's deadline has passed and it was removed from the queue. */
  readonly onExpired: (ticket: Ticket, nowMs: number) => void;
}

/** The requests that wait for a slot of one revision, in order, each with a deadline. */
export class RequestQueue extends TicketList {
  readonly #options: RequestQueueOptions;

  constructor(options: RequestQueueOptions) {
    super();
    this.#options = options;
  }

  /** Adds a ticket at the end, or at the front when it was granted a slot before and sent back, and sets its deadline. */
  add(ticket: Ticket, nowMs: number, isFirst: boolean): void {
    ticket.queuedAtMs ??= nowMs;
    if (isFirst) this.pushFirst(ticket);
    else this.push(ticket);
    this.#setDeadline(ticket, nowMs);
  }

  /** Removes and returns the first ticket; null when none waits. */
  shift(): Ticket | null {
    const ticket = this.first;
    if (ticket !== null) this.remove(ticket);
    return ticket;
  }

  /** Expires every ticket whose deadline is at or before `untilMs`, because no slot can come free earlier. */
  expireUntil(untilMs: number, nowMs: number): void {
    for (let ticket = this.first; ticket !== null; ) {
      const { next } = ticket;
      if (ticket.queueDeadlineMs <= untilMs) this.#expire(ticket, nowMs);
      ticket = next;
    }
  }

  #setDeadline(ticket: Ticket, nowMs: number): void {
    const { clock, policy, observe } = this.#options;
    const { arrivedAtMs, timeoutAtMs } = ticket;
    ticket.queueDeadlineMs = queueDeadlineMs({ arrivedAtMs, timeoutAtMs, ...observe(nowMs) }, policy);
    ticket.queueTimer = clock.setTimer(Math.max(0, ticket.queueDeadlineMs - nowMs), () => {
      const firedAtMs = clock.monotonicMs();
      // A cold start that is still under way moves the deadline.
      this.#setDeadline(ticket, firedAtMs);
      if (ticket.queueDeadlineMs <= firedAtMs) this.#expire(ticket, firedAtMs);
    });
  }

  #expire(ticket: Ticket, nowMs: number): void {
    this.remove(ticket);
    this.#options.onExpired(ticket, nowMs);
  }
}
