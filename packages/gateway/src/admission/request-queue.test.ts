import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { FakeTicket } from '../testing/fake-ticket.ts';
import { RequestQueue } from './request-queue.ts';
import type { Ticket } from './ticket.ts';

const LONG_MS = 600_000;

/** A queue whose requests are waited for 10 s, or 3.5 times the age of a cold start that goes on. */
function createQueue() {
  const clock = createFakeClock();
  const expired: { readonly ticket: Ticket; readonly atMs: number }[] = [];
  const state = { coldStartAgeMs: (_nowMs: number) => 0 };
  const queue = new RequestQueue({
    clock,
    policy: DEFAULT_POLICY,
    observe: (nowMs) => ({ meanStartMs: 1_000, coldStartAgeMs: state.coldStartAgeMs(nowMs) }),
    onExpired: (ticket, nowMs) => expired.push({ ticket, atMs: nowMs }),
  });
  const startMs = clock.monotonicMs();
  const ticket = (number: number, timeoutMs = LONG_MS) => new FakeTicket(number, clock.monotonicMs(), timeoutMs);
  return { clock, queue, expired, state, startMs, ticket };
}

// Fails when `add` ignores `isFirst`, or `shift` leaves the ticket in the queue.
test('I4: hands out requests in order, one that was sent back before all others', () => {
  const { queue, ticket, startMs, clock } = createQueue();
  const [first, second, again] = [ticket(1), ticket(2), ticket(3)];
  queue.add(first, startMs, false);
  queue.add(second, startMs, false);
  clock.advance(5);
  again.queuedAtMs = 7;
  queue.add(again, clock.monotonicMs(), true);
  expect([queue.size, queue.bytes, queue.first]).toEqual([3, 3, again]);
  // The time when it was first queued is kept: its wait counts from there.
  expect([first.queuedAtMs, again.queuedAtMs]).toEqual([startMs, 7]);
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([again, first, second, null]);
  expect([queue.size, queue.bytes, queue.first, clock.pending]).toEqual([0, 0, null, 0]);
});

// Fails when the deadline isn't computed again at its timer, or a ticket is expired before it.
test('expires a request at its deadline, which a cold start that goes on moves', () => {
  const { clock, queue, expired, state, startMs, ticket } = createQueue();
  const request = ticket(1);
  queue.add(request, startMs, false);
  expect(request.queueDeadlineMs).toBe(startMs + 10_000);
  state.coldStartAgeMs = (nowMs) => (nowMs < startMs + 20_000 ? 4_000 : 0);
  clock.advance(10_000);
  expect(expired).toEqual([]);
  expect(request.queueDeadlineMs).toBe(startMs + 14_000);
  clock.advance(3_999);
  expect([expired, queue.size]).toEqual([[], 1]);
  clock.advance(1);
  expect(expired).toEqual([{ ticket: request, atMs: startMs + 14_000 }]);
  expect([queue.size, request.isQueued, clock.pending]).toEqual([0, false, 0]);
});

// Fails when a removed request keeps its timer.
test('forgets a request that is removed', () => {
  const { clock, queue, expired, startMs, ticket } = createQueue();
  const [gone, stays] = [ticket(1), ticket(2)];
  queue.add(gone, startMs, false);
  queue.add(stays, startMs, false);
  queue.remove(gone);
  expect([queue.first, queue.size, clock.pending]).toEqual([stays, 1, 1]);
  clock.advance(10_000);
  expect(expired).toEqual([{ ticket: stays, atMs: startMs + 10_000 }]);
});

// Fails when `expireUntil` stops at the first request that stays, or spares one whose deadline is `untilMs` itself.
test('expires all requests whose deadline is not after a time', () => {
  const { clock, queue, expired, startMs, ticket } = createQueue();
  const [early, late, exact] = [ticket(1, 1_000), ticket(2, 3_000), ticket(3, 2_000)];
  for (const request of [early, late, exact]) queue.add(request, startMs, false);
  queue.expireUntil(startMs + 2_000, startMs + 1);
  expect(expired).toEqual([
    { ticket: early, atMs: startMs + 1 },
    { ticket: exact, atMs: startMs + 1 },
  ]);
  expect([queue.first, queue.size, clock.pending]).toEqual([late, 1, 1]);
});
