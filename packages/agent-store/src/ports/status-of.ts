import { AGENT_LIMITS } from '@berth/contract/agent';
import type { RunStatus, StoredRun } from './run-store.ts';

/**
 * Returns the status of a run to show: a live run without a heartbeat for 30 s is `interrupted`. Source:
 * docs/contract/agent-api.md §2, "Runs".
 */
export function statusOf(run: Pick<StoredRun, 'status' | 'heartbeatAtMs'>, nowMs: number): RunStatus {
  return run.status === 'running' && nowMs - run.heartbeatAtMs > AGENT_LIMITS.staleMs ? 'interrupted' : run.status;
}
