import type { ServingInstance } from '../instances/serving-instance.ts';
import type { RequestRecord } from '../port/gateway.ts';

/**
 * Returns the cold-start times of a request that waited for an instance to start, in milliseconds since its arrival; undefined for all
 * other requests. The arguments are monotonic times.
 */
export function coldStartParts(
  arrivedAtMs: number,
  queuedAtMs: number | null,
  instance: ServingInstance | null,
  firstByteAtMs: number,
): RequestRecord['coldStart'] | undefined {
  if (queuedAtMs === null || instance === null || instance.readyAtMs === null || instance.readyAtMs < queuedAtMs) {
    return undefined;
  }
  // The start may have begun before the request arrived, so each time is at least the previous one.
  let latestMs = queuedAtMs;
  const since = (atMs: number | null) => {
    latestMs = Math.max(latestMs, atMs ?? latestMs);
    return latestMs - arrivedAtMs;
  };
  return {
    queuedMs: since(queuedAtMs),
    scheduledMs: since(instance.scheduledAtMs),
    spawnedMs: since(instance.spawnedAtMs),
    portOpenMs: since(instance.readyAtMs),
    firstByteMs: since(firstByteAtMs),
  };
}

/**
 * Returns the resume times of a request that waited for a suspended instance, in milliseconds since its arrival; undefined for all other
 * requests. The arguments are monotonic times.
 */
export function resumeParts(
  arrivedAtMs: number,
  queuedAtMs: number | null,
  instance: ServingInstance | null,
  firstByteAtMs: number,
): RequestRecord['resume'] | undefined {
  const resumedAtMs = instance?.resumedAtMs ?? null;
  if (queuedAtMs === null || resumedAtMs === null || resumedAtMs < queuedAtMs) return undefined;
  return {
    queuedMs: queuedAtMs - arrivedAtMs,
    resumedMs: resumedAtMs - arrivedAtMs,
    firstByteMs: firstByteAtMs - arrivedAtMs,
  };
}
