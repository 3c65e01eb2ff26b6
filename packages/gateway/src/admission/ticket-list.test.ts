import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FakeTicket } from '../testing/fake-ticket.ts';
import { TicketList } from './ticket-list.ts';

test('keeps the order through additions and removals anywhere, like an array', () => {
  const step = fc.oneof(
    fc.constant({ kind: 'push' as const }),
    fc.constant({ kind: 'pushFirst' as const }),
    fc.record({ kind: fc.constant('remove' as const), at: fc.nat({ max: 20 }) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new TicketList();
      const model: FakeTicket[] = [];
      for (const [number, doing] of steps.entries()) {
        const ticket = new FakeTicket(number, 0, 1);
        if (doing.kind === 'push') {
          queue.push(ticket);
          model.push(ticket);
        } else if (doing.kind === 'pushFirst') {
          queue.pushFirst(ticket);
          model.unshift(ticket);
        } else {
          const [removed] = model.splice(doing.at % Math.max(1, model.length), 1);
          if (removed) queue.remove(removed);
          expect(removed?.isQueued ?? false).toBe(false);
        }
        const order: unknown[] = [];
        for (let ticketNow = queue.first; ticketNow !== null; ticketNow = ticketNow.next) order.push(ticketNow);
        expect(order).toEqual(model);
        expect(model.every(({ isQueued }) => isQueued)).toBe(true);
        expect(queue.size).toBe(model.length);
        expect(queue.bytes).toBe(model.length);
      }
    }),
  );
});
