import { createError } from '@berth/contract';
import { createFakeClock } from '@berth/testkit';
import { expect, test } from 'vitest';
import type { Engine } from '../engine/open-engine.ts';
import { untilEngineIsBack } from './until-engine-is-back.ts';

/** An engine that answers pings from a time on. */
function createFixture(backAtMs: number) {
  const clock = createFakeClock();
  const begunMs = clock.monotonicMs();
  let pings = 0;
  const ping = async () => {
    pings += 1;
    if (clock.monotonicMs() - begunMs < backAtMs) throw new Error('refused');
  };
  const engine = { docker: { ping } } as unknown as Engine;
  const cause = createError('unavailable', 'It is away.');
  const controller = new AbortController();
  const wait = (deadlineMs = Number.POSITIVE_INFINITY) =>
    untilEngineIsBack({ engine, clock }, controller.signal, begunMs + deadlineMs, cause).then(
      () => 'back',
      (error: unknown) => error,
    );
  return { clock, cause, controller, wait, pings: () => pings };
}

// Fails when the first ping decides, and when the waits aren't half a second.
test('waits until the engine answers', async () => {
  const { clock, wait, pings } = createFixture(1_200);
  const waited = wait();
  await clock.elapse(2_000);
  expect([await waited, pings()]).toEqual(['back', 4]);
});

// Fails when the deadline, the minute or the signal isn't obeyed.
test.each([
  ['a minute', undefined, 60_500],
  ['the deadline', 2_000, 2_500],
])('gives up after %s, with the error that it was called for', async (_name, deadlineMs, elapsedMs) => {
  const { clock, wait, cause } = createFixture(Number.POSITIVE_INFINITY);
  const waited = wait(deadlineMs);
  await clock.elapse(elapsedMs);
  expect(await waited).toBe(cause);
  expect(clock.pending).toBe(0);
});

test('gives up when the build is canceled', async () => {
  const { clock, wait, cause, controller } = createFixture(Number.POSITIVE_INFINITY);
  const waited = wait();
  await clock.elapse(600);
  controller.abort();
  expect(await waited).toBe(cause);
});
