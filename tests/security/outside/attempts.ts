import { ARCHIVE_ATTEMPTS } from './archive-attempts.ts';
import { ARTIFACT_ATTEMPTS } from './artifact-attempts.ts';
import type { OutsideAttempt } from './attempt.ts';
import { IMAGE_ATTEMPTS } from './image-attempts.ts';
import { MOUNT_ATTEMPTS } from './mount-attempts.ts';
import { OBJECT_ATTEMPTS } from './object-attempts.ts';
import { SWAP_ATTEMPTS } from './swap-attempts.ts';

/** Everything that the attacker tries over the API, in this order. */
export const OUTSIDE_ATTEMPTS: readonly OutsideAttempt[] = [
  ...MOUNT_ATTEMPTS,
  ...ARCHIVE_ATTEMPTS,
  ...OBJECT_ATTEMPTS,
  ...ARTIFACT_ATTEMPTS,
  ...IMAGE_ATTEMPTS,
  ...SWAP_ATTEMPTS,
];
