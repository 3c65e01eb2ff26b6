import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCpuAllowed, minimumCpu, parseMemory, raisedCpu } from './resources.ts';

const GIB = 2 ** 30;

describe('parseMemory', () => {
  it('reads decimal and binary units', () => {
    expect(parseMemory('512Mi')).toBe(512 * 2 ** 20);
    expect(parseMemory('1.5Gi')).toBe(1.5 * GIB);
    expect(parseMemory('500M')).toBe(500e6);
    expect(parseMemory('2G')).toBe(2e9);
  });

  it.each(['', '1', 'Gi', '-1Gi', '1Ti', '1 Gi', '1e3Mi', '.5Gi', '1.Gi'])('does not read "%s"', (text) => {
    expect(parseMemory(text)).toBeUndefined();
  });
});

describe('cpu', () => {
  it('is raised at each step of the table', () => {
    const steps = [0.5, 0.6, 1, 1.1, 4, 4.1, 8, 8.1, 16, 16.1, 24, 24.1, 32];
    expect(steps.map((size) => minimumCpu(size * GIB))).toEqual([0.08, 0.5, 0.5, 1, 1, 2, 2, 4, 4, 6, 6, 8, 8]);
  });

  it('knows the counts there are', () => {
    expect([0.08, 0.5, 1, 2, 4, 6, 8].every(isCpuAllowed)).toBe(true);
    expect([0, 0.07, 1.5, 3, 5, 7, 9, Number.NaN].some(isCpuAllowed)).toBe(false);
  });

  it('raises idempotently, never lowers, and grows with memory', () => {
    const memory = fc.integer({ min: 128 * 2 ** 20, max: 32 * GIB });
    fc.assert(
      fc.property(fc.constantFrom(0.08, 0.5, 1, 2, 4, 6, 8), memory, memory, (cpu, a, b) => {
        const once = raisedCpu(cpu, a);
        expect(once).toBeGreaterThanOrEqual(cpu);
        expect(raisedCpu(once, a)).toBe(once);
        expect(raisedCpu(cpu, Math.max(a, b))).toBeGreaterThanOrEqual(raisedCpu(cpu, Math.min(a, b)));
      }),
    );
  });
});
