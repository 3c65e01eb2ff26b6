import { createHash } from 'node:crypto';
import type { ImageArtifact, InstanceSpec } from '@berth/runtime';
import type { HostMount } from '@berth/runtime/files';

/** The operator's settings for all containers. */
export interface ContainerPolicy {
  readonly serverId: string;
  /** Maximum processes and threads of an instance. */
  readonly maxProcesses: number;
  /** The root file system is read-only; only `/tmp` and volumes can be written. */
  readonly isRootReadOnly: boolean;
  /** An OCI runtime of the engine, such as `runsc`. Undefined: the engine's default. */
  readonly ociRuntime: string | undefined;
  /** Maximum bytes that a container may write to its root file system. Undefined when the storage driver can't enforce it. */
  readonly rootBytes: number | undefined;
  /** The engine can run an init process in containers. */
  readonly hasInit: boolean;
}

/** A spec whose artifact is an image, with the runtime's additions. */
export interface ImageSpec extends Omit<InstanceSpec, 'mounts'> {
  readonly artifact: ImageArtifact;
  readonly mounts: readonly HostMount[];
  /** Group that its programs are in besides their own: that of its account's volumes. Undefined without volumes. */
  readonly volumeGroup: number | undefined;
}

/** Returns a key of everything in a spec that its container depends on. */
export function planKey({ env, port, memoryBytes, cpuMillis, mounts, owner, revision }: ImageSpec): string {
  return JSON.stringify([env, port, memoryBytes, cpuMillis, mounts, owner, revision]);
}

/** The same with the image and what the operator decided, for a label: it tells whether a container is what a start would make, and nothing else. */
export function planDigest(spec: ImageSpec, policy: ContainerPolicy): string {
  return createHash('sha256')
    .update(JSON.stringify([planKey(spec), spec.artifact.reference, spec.volumeGroup, policy]))
    .digest('hex');
}
