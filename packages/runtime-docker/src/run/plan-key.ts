import { createHash } from 'node:crypto';
import type { InstanceSpec } from '@berth/runtime';
import type { ContainerPolicy } from './container-policy.ts';

/** All that of a spec goes into its container. */
export function planKey({ env, port, memoryBytes, cpuMillis, mounts, owner, revision }: InstanceSpec): string {
  return JSON.stringify([env, port, memoryBytes, cpuMillis, mounts, owner, revision]);
}

/** The same with the image and what the operator decided, for a label: it tells whether a container is what a start would make, and nothing else. */
export function planDigest(spec: InstanceSpec, reference: string, policy: ContainerPolicy): string {
  return createHash('sha256')
    .update(JSON.stringify([planKey(spec), reference, policy]))
    .digest('hex');
}
