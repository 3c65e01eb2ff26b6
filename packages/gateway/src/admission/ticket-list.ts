import type { Ticket } from './ticket.ts';

/** A FIFO of waiting requests: a linked list through the tickets themselves, so that removal from the middle is O(1). */
export class TicketList {
  #head: Ticket | null = null;
  #tail: Ticket | null = null;
  #size = 0;
  #bytes = 0;

  get size(): number {
    return this.#size;
  }

  /** The sum of the tickets' {@link Ticket.queuedBytes}. */
  get bytes(): number {
    return this.#bytes;
  }

  get first(): Ticket | null {
    return this.#head;
  }

  push(ticket: Ticket): void {
    ticket.previous = this.#tail;
    ticket.next = null;
    if (this.#tail) this.#tail.next = ticket;
    else this.#head = ticket;
    this.#tail = ticket;
    this.#added(ticket);
  }

  /** Adds a request that was granted a slot and sent back without an answer. */
  pushFirst(ticket: Ticket): void {
    ticket.previous = null;
    ticket.next = this.#head;
    if (this.#head) this.#head.previous = ticket;
    else this.#tail = ticket;
    this.#head = ticket;
    this.#added(ticket);
  }

  /** Unlinks a ticket and cancels its timer. */
  remove(ticket: Ticket): void {
    if (ticket.previous) ticket.previous.next = ticket.next;
    else this.#head = ticket.next;
    if (ticket.next) ticket.next.previous = ticket.previous;
    else this.#tail = ticket.previous;
    ticket.next = null;
    ticket.previous = null;
    ticket.isQueued = false;
    ticket.queueTimer?.cancel();
    ticket.queueTimer = null;
    this.#size--;
    this.#bytes -= ticket.queuedBytes;
  }

  #added(ticket: Ticket): void {
    ticket.isQueued = true;
    this.#size++;
    this.#bytes += ticket.queuedBytes;
  }
}
