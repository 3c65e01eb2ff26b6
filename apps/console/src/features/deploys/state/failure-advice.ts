import type { DeployErrorCode } from '@berth/contract';

/** Which advice is given for a deploy that failed: the key of a text. */
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

export function adviceFor(code: DeployErrorCode | undefined): AdviceKey {
  return ADVICE[code ?? 'internal'];
}
