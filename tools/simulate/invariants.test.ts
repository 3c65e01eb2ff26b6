import { DEFAULT_POLICY } from '@berth/gateway/policy';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Arrival } from './create-arrivals.ts';
import { createRandom } from './create-random.ts';
import type { ServiceProfile } from './draw-service.ts';
import { type RunServiceOptions, runService } from './run-service.ts';
import type { TickDecision } from './scaler.ts';
import { createBerthScaler } from './scalers.ts';
import { Tally } from './tally.ts';

const profiles: fc.Arbitrary<ServiceProfile> = fc.record({
  concurrency: fc.constantFrom(1, 2, 5, 10, 80),
  maxInstances: fc.constantFrom(0, 1, 3, 20),
  minInstances: fc.constant(0),
  timeoutMs: fc.constantFrom(3_000, 30_000, 600_000),
  startMs: fc.integer({ min: 50, max: 20_000 }),
  startSpreadRatio: fc.constantFrom(0, 0.3),
  startFailureRatio: fc.constantFrom(0, 0.1, 0.6),
  stopMs: fc.constantFrom(0, 200, 10_000),
});

/** Bursts with pauses between them that are shorter, and longer, than the windows and delays of the policy. */
const bursts = fc.array(
  fc.record({
    pauseMs: fc.oneof(fc.nat({ max: 5_000 }), fc.nat({ max: 150_000 }), fc.constant(1_000_000)),
    requests: fc.integer({ min: 1, max: 60 }),
    gapMs: fc.constantFrom(0, 1, 20, 400, 3_000),
    durationMs: fc.constantFrom(1, 50, 900, 15_000),
  }),
  { minLength: 1, maxLength: 12 },
);

type Burst = typeof bursts extends fc.Arbitrary<(infer Each)[]> ? Each : never;

function traceOf(all: readonly Burst[]): Arrival[] {
  const trace: Arrival[] = [];
  let atMs = 0;
  for (const { pauseMs, requests, gapMs, durationMs } of all) {
    atMs += pauseMs;
    for (let i = 0; i < requests; i++, atMs += gapMs) trace.push({ atMs, durationMs });
  }
  return trace;
}

function play(
  profile: ServiceProfile,
  trace: readonly Arrival[],
  seed: number,
  options: Partial<RunServiceOptions> = {},
) {
  const horizonMs = (trace.at(-1)?.atMs ?? 0) + 1;
  const tally = new Tally(horizonMs);
  const played = runService({
    policy: DEFAULT_POLICY,
    profile,
    scaler: createBerthScaler(DEFAULT_POLICY),
    tally,
    horizonMs,
    arrivals: trace.values(),
    random: createRandom(seed),
    ...options,
  });
  return { ...played, figures: tally.figures() };
}

test('I6: want never falls in panic, and nothing is stopped', () => {
  let panics = 0;
  fc.assert(
    fc.property(profiles, bursts, fc.nat(), (profile, all, seed) => {
      let before: TickDecision = { wanted: 0, stop: 0, panicUntilMs: 0 };
      play(profile, traceOf(all), seed, {
        onTick(decision, nowMs) {
          if (nowMs < decision.panicUntilMs) {
            panics++;
            if (decision.stop > 0) expect.fail('stopped in a panic');
          }
          // The same panic: one that is over may be followed by another at once.
          if (nowMs < before.panicUntilMs && decision.wanted < before.wanted) expect.fail('wants less in a panic');
          before = decision;
        },
      });
    }),
  );
  expect(panics, 'there was panic to look at').toBeGreaterThan(100);
});

test('I7: without traffic all reaches 0, once the idle timeout is over', () => {
  fc.assert(
    fc.property(profiles, bursts, fc.nat(), (profile, all, seed) => {
      const { idleTimeoutMs, tickMs } = DEFAULT_POLICY;
      // The events after the last use: the stop, or the deadlines of requests that left the queue before theirs.
      const deadlineMs = Math.max(10_000, 3.5 * 1.3 * profile.startMs);
      const tailMs = Math.max(idleTimeoutMs + 2 * tickMs + profile.stopMs, deadlineMs);
      const trace = traceOf(all);
      let lastUseMs = 0;
      let ready = 0;
      const { service } = play(profile, trace, seed, {
        untilSilence: true,
        onEvent({ inFlight, waiting, fleet }, nowMs) {
          if (inFlight + waiting > 0 || fleet.ready.length > ready || nowMs <= trace.at(-1)!.atMs) lastUseMs = nowMs;
          ready = fleet.ready.length;
          if (nowMs > lastUseMs + tailMs)
            expect.fail(`${fleet.size} instances ${nowMs - lastUseMs} ms after the last use`);
        },
      });
      expect([service.inFlight, service.waiting, service.fleet.size]).toEqual([0, 0, 0]);
    }),
  );
});

// Fails when decideStops takes no notice of minInstances, by its surplus or by its idleness.
test('I11: once they are ready, min_instances stay without traffic, and no more than that', () => {
  const kept = fc.tuple(profiles, fc.integer({ min: 1, max: 4 })).map(([profile, minInstances]) => ({
    ...profile,
    minInstances: profile.maxInstances === 0 ? minInstances : Math.min(minInstances, profile.maxInstances),
    startFailureRatio: 0,
  }));
  fc.assert(
    fc.property(kept, bursts, fc.nat(), (profile, all, seed) => {
      const trace = traceOf(all);
      // A request after an hour of silence, by when all that the bursts had started has gone.
      const lastMs = (trace.at(-1)?.atMs ?? 0) + 3_600_000;
      let hadAll = false;
      const seen: number[] = [];
      play(profile, [...trace, { atMs: lastMs, durationMs: 1 }], seed, {
        onEvent({ fleet }, nowMs) {
          if (hadAll && fleet.ready.length < profile.minInstances) expect.fail(`${fleet.ready.length} ready`);
          hadAll ||= fleet.ready.length >= profile.minInstances;
          if (nowMs < lastMs) seen[0] = fleet.size;
        },
      });
      expect(seen).toEqual([profile.minInstances]);
    }),
  );
});

test('I8: nobody waits beside a free slot, and I1, I2, I3 hold', () => {
  fc.assert(
    fc.property(profiles, bursts, fc.nat(), (profile, all, seed) => {
      const trace = traceOf(all);
      const { concurrency, maxInstances } = profile;
      const { figures } = play(profile, trace, seed, {
        onEvent(service) {
          for (const { inFlight } of service.fleet.ready) {
            if (inFlight > concurrency) expect.fail('I1');
            if (service.waiting > 0 && inFlight < concurrency) expect.fail('I8');
          }
          if (maxInstances > 0 && service.fleet.size > maxInstances) expect.fail('I2');
        },
      });
      expect(figures.requests, 'I3').toBe(trace.length);
      // With a long timeout none is cut off while it is served: each gets a slot or a refusal.
      const refused = figures.rejected[429] + figures.rejected[503] + figures.rejected[504];
      if (profile.timeoutMs === 600_000) expect(figures.granted + refused, 'I3').toBe(figures.requests);
    }),
  );
});

test('I8: below capacity the queue is empty after warm-up, whatever came before', () => {
  const WARM_UP_MS = 240_000;
  const steady = fc.record({
    gapMs: fc.integer({ min: 50, max: 20_000 }),
    durationMs: fc.integer({ min: 1, max: 5_000 }),
  });
  fc.assert(
    fc.property(profiles, bursts, steady, fc.nat(), (drawn, all, { gapMs, durationMs }, seed) => {
      // Starts that fail, or a maximum, are capacity that is not there; a short timeout would empty any queue.
      const profile = { ...drawn, maxInstances: 0, startFailureRatio: 0, timeoutMs: 600_000 };
      const trace = traceOf(all);
      const steadyFromMs = (trace.at(-1)?.atMs ?? 0) + 1;
      for (let i = 0; i * gapMs < WARM_UP_MS + 300_000; i++) trace.push({ atMs: steadyFromMs + i * gapMs, durationMs });
      let isReached = false;
      play(profile, trace, seed, {
        onEvent(service, nowMs) {
          if (nowMs < steadyFromMs + WARM_UP_MS) return;
          isReached = true;
          if (service.waiting > 0) expect.fail(`${service.waiting} wait at ${nowMs - steadyFromMs} ms`);
        },
      });
      expect(isReached).toBe(true);
    }),
  );
});
