import type { ServiceInstance } from '../instances/service-instance.ts';
import type { RemoteTicket } from './remote-ticket.ts';
import type { WaitAges } from './worker-messages.ts';

/** Returns how long ago each step of a start or resume happened; undefined when the request did not wait for one. */
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
