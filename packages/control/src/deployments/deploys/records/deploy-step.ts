import type { DeployStatus, DeployStep } from '@berth/contract';

/**
 * The steps that can follow each. A rollback or a change of environment or settings has nothing to build. A step is
 * recorded before its work begins, so after a crash the record tells what may have been done.
 */
const NEXT: Readonly<Record<DeployStep, readonly DeployStep[]>> = {
  queued: ['building', 'deploying', 'failed', 'cancelled'],
  building: ['deploying', 'failed', 'cancelled'],
  deploying: ['done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

/** The steps from which `step` can be reached. */
export function stepsBefore(step: DeployStep): DeployStep[] {
  return (Object.keys(NEXT) as DeployStep[]).filter((from) => NEXT[from].includes(step));
}

/** True when nothing happens any more. */
export function isEnded(step: DeployStep): boolean {
  return NEXT[step].length === 0;
}

/** The status of the lines said in a step; it never goes back as steps advance. */
export function statusOf(step: DeployStep): DeployStatus {
  switch (step) {
    case 'queued':
    case 'building':
      return 'BUILDING';
    case 'deploying':
      return 'DEPLOYING';
    case 'done':
      return 'DONE';
    case 'failed':
    case 'cancelled':
      return 'ERROR';
  }
}
