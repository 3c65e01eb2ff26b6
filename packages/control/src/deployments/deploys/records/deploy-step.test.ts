import { DEPLOY_STATUSES, type DeployStep } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { isEnded, statusOf, stepsBefore } from './deploy-step.ts';

const STEPS: readonly DeployStep[] = ['queued', 'building', 'deploying', 'done', 'failed', 'cancelled'];

describe('the steps of a deploy', () => {
  it('never lead to an earlier status', () => {
    const rank = (step: DeployStep) => DEPLOY_STATUSES.indexOf(statusOf(step));
    for (const to of STEPS) for (const from of stepsBefore(to)) expect(rank(from)).toBeLessThanOrEqual(rank(to));
  });

  it('end in done, failed or canceled, each reachable from every step that is no end, save done from a start', () => {
    const ends = STEPS.filter(isEnded);
    expect(ends).toEqual(['done', 'failed', 'cancelled']);
    expect(stepsBefore('cancelled')).toEqual(['queued', 'building', 'deploying']);
    expect(stepsBefore('failed')).toEqual(['queued', 'building', 'deploying']);
    expect(stepsBefore('done')).toEqual(['deploying']);
    expect(stepsBefore('queued')).toEqual([]);
  });
});
