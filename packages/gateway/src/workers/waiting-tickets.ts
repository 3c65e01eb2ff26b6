import type { Refusal } from '../admission/refusal.ts';
import type { Route, Ticket } from '../admission/ticket.ts';

/** The requests of a worker that wait for a slot from the core, by number. */
export class WaitingTickets {
  readonly #byNumber = new Map<number, { readonly ticket: Ticket; readonly route: Route }>();
  readonly #numbers = new Map<Ticket, number>();
  #last = 0;

  get size(): number {
    return this.#byNumber.size;
  }

  /** Adds a ticket and returns its number. */
  add(ticket: Ticket, route: Route): number {
    const number = ++this.#last;
    ticket.isQueued = true;
    this.#byNumber.set(number, { ticket, route });
    this.#numbers.set(ticket, number);
    return number;
  }

  /** Returns the number of a waiting ticket; undefined when it does not wait. */
  numberOf(ticket: Ticket): number | undefined {
    return this.#numbers.get(ticket);
  }

  /** Removes and returns a ticket; undefined when it no longer waits. */
  take(number: number): Ticket | undefined {
    const ticket = this.#byNumber.get(number)?.ticket;
    if (ticket === undefined) return undefined;
    ticket.isQueued = false;
    this.#byNumber.delete(number);
    this.#numbers.delete(ticket);
    return ticket;
  }

  /** Removes and returns the tickets of a route, in order. */
  takeAll(ofRoute: Route): Ticket[] {
    return [...this.#byNumber].flatMap(([number, { route }]) => (route === ofRoute ? (this.take(number) ?? []) : []));
  }

  /** Moves the tickets of a route to another one. */
  reroute(ofRoute: Route, to: Route): void {
    for (const [number, { ticket, route }] of this.#byNumber) {
      if (route !== ofRoute) continue;
      this.#byNumber.set(number, { ticket, route: to });
      ticket.reroute(to);
    }
  }

  /** Refuses the tickets of one route, or all of them. */
  refuse(refusal: Refusal, ofRoute?: Route): void {
    for (const [number, { route }] of [...this.#byNumber]) {
      if (ofRoute === undefined || route === ofRoute) this.take(number)?.refuse(refusal);
    }
  }
}
