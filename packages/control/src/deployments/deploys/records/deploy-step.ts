import type { DeployStatus, DeployStep } from '@berth/contract';

/**
 * The steps that can follow each step. A rollback or a change of environment or settings builds nothing. A step is
 * recorded before its work begins, so after a crash the record shows what may have been done.
 */
const NEXT: Readonly<Record<DeployStep, readonly DeployStep[]>> = {
  queued: ['building', 'deploying', 'failed', 'cancelled'],
  building: ['deploying', 'failed', 'cancelled'],
  deploying: ['done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

/** Returns the steps from which `step` can be reached. */
export function stepsBefore(step: DeployStep): DeployStep[] {
  return (Object.keys(NEXT) as DeployStep[]).filter((from) => NEXT[from].includes(step));
}

/** True for a final step. */
export function isEnded(step: DeployStep): boolean {
  return NEXT[step].length === 0;
}

/** Returns the status of events in a step; it never goes back as steps advance. */
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
