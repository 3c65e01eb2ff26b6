import { describe, expect, it } from 'vitest';
import { addTallies, closingLine, describeSkips, NOTHING, toSkip } from './tally.ts';

describe('tally', () => {
  it('adds lanes and counts errors outside tests as failures', () => {
    const a = { passed: 2, failed: 1, skipped: [toSkip('x', 'no go')], errors: 1 };
    expect(closingLine(addTallies(a, { ...NOTHING, passed: 3 }))).toBe('5 passed, 2 failed, 1 skipped');
  });

  it('groups skips by reason, the most frequent first', () => {
    const skipped = [toSkip('a', 'no go'), toSkip('b', 'no python'), toSkip('c', 'no python')];
    expect(describeSkips(skipped)).toEqual(['  2 × no python (e.g. b)', '  1 × no go (e.g. a)']);
  });

  it('tells what does not apply from what the machine lacks', () => {
    expect(
      [toSkip('a', 'needs Go'), toSkip('b', undefined), toSkip('c', 'by design: x')].map((one) => one.isByDesign),
    ).toEqual([false, true, true]);
  });
});
