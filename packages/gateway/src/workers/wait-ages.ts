import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RemoteTicket } from './remote-ticket.ts';
import type { WaitAges } from './worker-messages.ts';

/** The steps of what a granted request waited for, as ages; undefined when it did not wait for a start or a thaw. */
export function waitAges(
  { queuedAtMs }: Pick<RemoteTicket, 'queuedAtMs'>,
  { scheduledAtMs, spawnedAtMs, readyAtMs, resumedAtMs }: ServiceInstance,
  nowMs: number,
): WaitAges | undefined {
  if (queuedAtMs === null || scheduledAtMs === null || spawnedAtMs === null || readyAtMs === null) return undefined;
  if (Math.max(readyAtMs, resumedAtMs ?? readyAtMs) < queuedAtMs) return undefined;
  return {
    queuedMs: nowMs - queuedAtMs,
    scheduledMs: nowMs - scheduledAtMs,
    spawnedMs: nowMs - spawnedAtMs,
    readyMs: nowMs - readyAtMs,
    ...(resumedAtMs === null ? {} : { resumedMs: nowMs - resumedAtMs }),
  };
}
