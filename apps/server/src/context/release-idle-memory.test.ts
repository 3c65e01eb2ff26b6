import { createFakeClock } from '@berth/testkit';
import { describe, expect, it } from 'vitest';
import { releaseIdleMemory } from './release-idle-memory.ts';

const MIB = 1024 * 1024;

/** A process whose heap is 75 MiB and shrinks to 35 when it is collected. */
function setUp() {
  const clock = createFakeClock();
  const state = { cpuUs: 0, heapBytes: 75 * MIB, collections: 0 };
  releaseIdleMemory(clock, {
    cpuUsage: () => ({ user: state.cpuUs / 2, system: state.cpuUs / 2 }),
    heapBytes: () => state.heapBytes,
    collect: () => {
      state.collections++;
      state.cpuUs += 60_000;
      state.heapBytes = 35 * MIB;
    },
  });
  return { state, look: () => clock.advance(5_000) };
}

describe('releaseIdleMemory', () => {
  // Fails when a look doesn't set the next, and when growth is not measured from the heap after a collection.
  it('collects once when the process is idle, and again only after the heap has grown', async () => {
    const { state, look } = setUp();
    for (let count = 0; count < 5; count++) await look();
    expect(state.collections).toBe(1);
    state.heapBytes = 50 * MIB;
    await look();
    expect(state.collections).toBe(1);
    state.heapBytes = 52 * MIB;
    await look();
    expect(state.collections).toBe(2);
  });

  // Fails when CPU time is not compared with the time since the last look: 100 ms of 5 s are 2 %.
  it('leaves a process that works alone', async () => {
    const { state, look } = setUp();
    for (let count = 0; count < 5; count++) {
      state.cpuUs += 100_000;
      await look();
    }
    expect(state.collections).toBe(0);
    state.cpuUs += 90_000;
    await look();
    expect(state.collections).toBe(1);
  });
});

// Fails when `npm start` loses the flag that a collection needs.
it('has its flag in npm start', async () => {
  const { default: manifest } = await import('../../../../package.json', { with: { type: 'json' } });
  expect(manifest.scripts.start).toContain('--expose-gc');
});
