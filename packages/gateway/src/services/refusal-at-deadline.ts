import { deadlineRefusal, type Refusal } from '../admission/refusal.ts';
import type { Ticket } from '../admission/ticket.ts';
import type { StartHistory } from '../autoscaler/start-history.ts';
import type { RevisionTarget } from '../port/gateway.ts';
import type { Fleet } from './fleet.ts';

/** Returns the refusal of a request that has waited until its deadline, which says why there was no slot. */
export function refusalAtDeadline(
  { timeoutAtMs, arrivedAtMs }: Ticket,
  nowMs: number,
  { deployment, maxInstances }: RevisionTarget,
  { meanMs, failure, nextStartAtMs }: StartHistory,
  { ready, size }: Fleet,
): Refusal {
  return deadlineRefusal({
    ...{ deployment, nowMs, timeoutAtMs, nextStartAtMs, maxInstances },
    timeoutMs: timeoutAtMs - arrivedAtMs,
    meanStartMs: meanMs,
    ready: ready.length,
    instances: size,
    startFailure: failure,
  });
}
