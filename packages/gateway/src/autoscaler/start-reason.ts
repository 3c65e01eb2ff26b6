import type { StartReason } from '../port/gateway.ts';

/** Says why instances are started that {@link decideStarts} asks for. */
export function startReason(seen: {
  readonly wanted: number;
  readonly serving: number;
  /** The last instance that was lost crashed, and none became ready since. */
  readonly isAfterCrash: boolean;
}): StartReason {
  const isLoad = seen.wanted > seen.serving;
  if (isLoad && seen.serving > 0) return 'scale_up';
  if (seen.isAfterCrash) return 'restart_after_crash';
  return isLoad ? 'request' : 'min_instances';
}
