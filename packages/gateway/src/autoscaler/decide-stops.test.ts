import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../port/gateway-policy.ts';
import { decideStops, INITIAL_SCALE_STATE, type StopObservation } from './decide-stops.ts';

const seen: StopObservation = {
  minInstances: 0,
  concurrency: 10,
  ready: 4,
  inFlight: 0,
  queued: 0,
  stableLoad: 0,
  panicLoad: 0,
  idleSinceMs: [0, 0, 0, 0],
};

const at = (nowMs: number, changes: Partial<StopObservation> = {}, state = INITIAL_SCALE_STATE) =>
  decideStops({ ...seen, ...changes }, state, DEFAULT_POLICY, nowMs);

test('a surplus must last for the delay; then half goes a tick, but never the last', () => {
  const first = at(1_000);
  expect(first.stop).toBe(0);
  expect(at(60_999, {}, first.state).stop).toBe(0);
  expect(at(61_000, {}, first.state).stop).toBe(2);
  expect(at(61_000, { ready: 1, idleSinceMs: [0] }, first.state).stop).toBe(0);
});

test('a load that needs all of them again starts the delay anew', () => {
  const surplus = at(1_000);
  const busy = at(30_000, { stableLoad: 24 }, surplus.state);
  expect(busy.state.surplusSinceMs).toBeNull();
  expect(at(61_000, {}, busy.state).stop).toBe(0);
});

test('only idle instances are stopped', () => {
  const surplus = at(0, { inFlight: 3, idleSinceMs: [5] });
  expect(at(60_000, { inFlight: 3, idleSinceMs: [5] }, surplus.state).stop).toBe(1);
  expect(at(60_000, { inFlight: 4, idleSinceMs: [] }, surplus.state).stop).toBe(0);
});

test('the last instance goes after the idle timeout, unless somebody waits', () => {
  const last = { ready: 1, idleSinceMs: [1_000] };
  expect(at(1_000 + DEFAULT_POLICY.idleTimeoutMs - 1, last).stop).toBe(0);
  expect(at(1_000 + DEFAULT_POLICY.idleTimeoutMs, last).stop).toBe(1);
  expect(at(1_000 + DEFAULT_POLICY.idleTimeoutMs, { ...last, queued: 1 }).stop).toBe(0);
});

test('a short window at twice what is ready forbids stopping for a minute', () => {
  const surplus = at(0);
  const panic = at(60_000, { panicLoad: 48 }, surplus.state);
  expect(panic).toMatchObject({ stop: 0, wanted: 8 });
  expect(at(119_999, {}, panic.state)).toMatchObject({ stop: 0, wanted: 8 });
  expect(at(120_000, {}, panic.state).wanted).toBe(0);
});

test('I6: wanted never falls during a panic, and nothing is stopped', () => {
  const tick = fc.record({ ready: fc.nat(20), inFlight: fc.nat(100), stableLoad: fc.nat(100), panicLoad: fc.nat(300) });
  fc.assert(
    fc.property(fc.array(tick, { maxLength: 80 }), (ticks) => {
      let state = INITIAL_SCALE_STATE;
      let before = 0;
      for (const [index, observed] of ticks.entries()) {
        const nowMs = index * DEFAULT_POLICY.tickMs;
        const wasPanic = nowMs < state.panicUntilMs;
        const decision = at(nowMs, { ...observed, idleSinceMs: Array(observed.ready).fill(-1e9) }, state);
        if (nowMs < decision.state.panicUntilMs) expect(decision.stop).toBe(0);
        if (wasPanic) expect(decision.wanted).toBeGreaterThanOrEqual(before);
        before = decision.wanted;
        ({ state } = decision);
      }
    }),
  );
});
