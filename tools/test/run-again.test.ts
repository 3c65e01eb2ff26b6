import { describe, expect, it } from 'vitest';
import type { Lane } from './lanes.ts';
import { runAgain } from './run-again.ts';
import { type Failure, NOTHING } from './tally.ts';

const lane: Lane = { name: 'unit', include: ['**/*.test.ts'], maxWorkers: 3, testTimeoutMs: 1 };
const fails = (file: string): Failure => ({ test: `${file} x`, file, reason: 'no' });
const ended = (passed: number, ...failed: Failure[]) => {
  return { lane: 'unit', seconds: 5, tally: { ...NOTHING, passed, failed } };
};

describe('failed files', () => {
  it('run again alone, and are told as flaky when they pass then', async () => {
    const lanes: Lane[] = [];
    const first = ended(7, fails('a.test.ts'), fails('a.test.ts'), fails('b.test.ts'));
    const both = await runAgain(lane, first, 3, async (again) => {
      lanes.push(again);
      return ended(4);
    });
    expect(lanes).toEqual([expect.objectContaining({ include: ['a.test.ts', 'b.test.ts'], maxWorkers: 1 })]);
    expect(both.seconds).toBe(10);
    expect(both.tally).toMatchObject({ passed: 10, failed: [], flaky: first.tally.failed });
  });

  it('stay failed when one of them fails again', async () => {
    const first = ended(7, fails('a.test.ts'), fails('b.test.ts'));
    expect((await runAgain(lane, first, 3, async () => ended(1, fails('b.test.ts')))).tally).toEqual(first.tally);
  });

  it('are not run again when there are many, nor after a fault outside a test', async () => {
    const never = () => Promise.reject(new Error('it ran'));
    const many = ended(7, fails('a.test.ts'), fails('b.test.ts'));
    expect(await runAgain(lane, many, 1, never)).toBe(many);
    const outside = ended(7, { test: 'outside a test', reason: 'unhandled' });
    expect(await runAgain(lane, outside, 3, never)).toBe(outside);
    const none = ended(7);
    expect(await runAgain(lane, none, 3, never)).toBe(none);
  });
});
