import type { Refusal } from '../admission/refusal.ts';
import type { Route, Ticket } from '../admission/ticket.ts';

/** The requests of a worker that wait for the core's answer, by number. */
export class WaitingTickets {
  readonly #byNumber = new Map<number, { readonly ticket: Ticket; readonly route: Route }>();
  readonly #numbers = new Map<Ticket, number>();
  #last = 0;

  get size(): number {
    return this.#byNumber.size;
  }

  /** Answers the ticket's number. */
  add(ticket: Ticket, route: Route): number {
    const number = ++this.#last;
    ticket.isQueued = true;
    this.#byNumber.set(number, { ticket, route });
    this.#numbers.set(ticket, number);
    return number;
  }

  numberOf(ticket: Ticket): number | undefined {
    return this.#numbers.get(ticket);
  }

  /** Takes it out; undefined when it does not wait any more. */
  take(number: number): Ticket | undefined {
    const ticket = this.#byNumber.get(number)?.ticket;
    if (ticket === undefined) return undefined;
    ticket.isQueued = false;
    this.#byNumber.delete(number);
    this.#numbers.delete(ticket);
    return ticket;
  }

  /** Refuses those of a route, or all. */
  refuse(refusal: Refusal, ofRoute?: Route): void {
    for (const [number, { route }] of [...this.#byNumber]) {
      if (ofRoute === undefined || route === ofRoute) this.take(number)?.refuse(refusal);
    }
  }
}
