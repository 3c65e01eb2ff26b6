import type { StartReason } from '../port/gateway.ts';

/** Returns the reason of the starts that {@link decideStarts} asks for. */
export function startReason(seen: {
  readonly wanted: number;
  readonly serving: number;
  /** The last instance to end crashed, and none has become ready since. */
  readonly isAfterCrash: boolean;
}): StartReason {
  const isLoad = seen.wanted > seen.serving;
  if (isLoad && seen.serving > 0) return 'scale_up';
  if (seen.isAfterCrash) return 'restart_after_crash';
  return isLoad ? 'request' : 'min_instances';
}
