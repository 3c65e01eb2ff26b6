import { describe, expect, it } from 'vitest';
import { addTallies, closingLine, describeFailures, describeRuns, describeSkips, toSkip } from './tally.ts';

describe('tally', () => {
  it('adds lanes', () => {
    const a = { passed: 2, failed: [{ test: 'y', reason: 'no' }], skipped: [toSkip('x', 'no go')] };
    expect(closingLine(addTallies(a, { ...a, passed: 3 }))).toBe('5 passed, 2 failed, 2 skipped');
  });

  it('says at the end what failed, and how', () => {
    expect(describeFailures([{ test: 'a.test.ts x', reason: 'no\nat a.ts:1' }])).toEqual([
      '  a.test.ts x',
      '      no',
      '      at a.ts:1',
    ]);
  });

  it('says how long each lane took, the slowest first', () => {
    const runs = [
      { lane: 'unit', seconds: 9 },
      { lane: 'faults', seconds: 120 },
    ];
    expect(describeRuns(runs)).toEqual(['    120 s  faults', '      9 s  unit', '    129 s  all']);
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
