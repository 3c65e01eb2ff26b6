import { describe, expect, it } from 'vitest';
import { quantile, roundTo, spreadOf } from './statistics.ts';

describe('quantile', () => {
  it('is the nearest rank, whatever the order', () => {
    const values = [5, 1, 4, 2, 3];
    expect(quantile(values, 0.5)).toBe(3);
    expect(quantile(values, 0.95)).toBe(5);
    expect(quantile(values, 0)).toBe(1);
    expect(quantile([7], 0.5)).toBe(7);
    expect(quantile([], 0.5)).toBeNaN();
  });
});

describe('spreadOf', () => {
  it('counts and rounds', () => {
    expect(spreadOf([1.04, 2.06, 3])).toEqual({ runs: 3, medianMs: 2.1, p95Ms: 3 });
    expect(roundTo(1.005, 1)).toBe(1);
  });
});
