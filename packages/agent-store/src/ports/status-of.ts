import { AGENT_LIMITS } from '@berth/contract/agent';
import type { RunStatus, StoredRun } from './run-store.ts';

/** What the status of a run reads: one that has not been heard of for 30 s is interrupted. Source: docs/contract/agent-api.md §2, "Runs". */
export function statusOf(run: Pick<StoredRun, 'status' | 'heartbeatAtMs'>, nowMs: number): RunStatus {
  return run.status === 'running' && nowMs - run.heartbeatAtMs > AGENT_LIMITS.staleMs ? 'interrupted' : run.status;
}
