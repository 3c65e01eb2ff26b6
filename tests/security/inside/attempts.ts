import type { InsideAttempt } from './attempt.ts';
import { FILE_ATTEMPTS } from './file-attempts.ts';
import { KERNEL_ATTEMPTS } from './kernel-attempts.ts';
import { NETWORK_ATTEMPTS } from './network-attempts.ts';
import { PROCESS_ATTEMPTS } from './process-attempts.ts';

/** Everything that the hostile program tries, in a service and in a build. */
export const INSIDE_ATTEMPTS: readonly InsideAttempt[] = [
  ...FILE_ATTEMPTS,
  ...PROCESS_ATTEMPTS,
  ...KERNEL_ATTEMPTS,
  ...NETWORK_ATTEMPTS,
];
