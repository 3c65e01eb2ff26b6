import { describe, expect, it } from 'vitest';
import { addTallies, closingLine, describeSkips, NOTHING } from './tally.ts';

describe('tally', () => {
  it('adds lanes and counts errors outside tests as failures', () => {
    const a = { passed: 2, failed: 1, skipped: [{ test: 'x', reason: 'no go' }], errors: 1 };
    expect(closingLine(addTallies(a, { ...NOTHING, passed: 3 }))).toBe('5 passed, 2 failed, 1 skipped');
  });

  it('groups skips by reason, the most frequent first', () => {
    const skipped = [
      { test: 'a', reason: 'no go' },
      { test: 'b', reason: 'no python' },
      { test: 'c', reason: 'no python' },
    ];
    expect(describeSkips(skipped)).toEqual(['  2 × no python (e.g. b)', '  1 × no go (e.g. a)']);
  });
});
