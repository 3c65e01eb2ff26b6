import type { DeployErrorCode } from '@berth/contract';

/** Message key of the advice for a failed deploy. */
export type AdviceKey = 'archive' | 'build' | 'buildTimeout' | 'start' | 'port' | 'capacity' | 'cancelled' | 'internal';

const ADVICE: Readonly<Record<DeployErrorCode, AdviceKey>> = {
  archive_invalid: 'archive',
  build_failed: 'build',
  build_timeout: 'buildTimeout',
  start_failed: 'start',
  start_timeout: 'port',
  port_not_open: 'port',
  out_of_capacity: 'capacity',
  cancelled: 'cancelled',
  internal: 'internal',
};

/** Returns the advice for an error code; that for `internal` without a code. */
export function adviceFor(code: DeployErrorCode | undefined): AdviceKey {
  return ADVICE[code ?? 'internal'];
}
