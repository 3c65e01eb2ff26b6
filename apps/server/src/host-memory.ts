import { totalmem } from 'node:os';

/** What is left to the system and to Berth itself. */
const INSTANCE_SHARE_RATIO = 0.8;

/**
 * Memory (bytes) that the instances of this machine may be given together when the operator says nothing: most of what
 * this process may use, which in a container is less than what the machine has.
 */
export function hostMemoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Node answers 0, or a number beyond the machine's own, where there is no constraint.
  const usable = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.floor(usable * INSTANCE_SHARE_RATIO);
}
