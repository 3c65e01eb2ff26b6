import type { ContainerCreateOptions } from 'dockerode';
import { containerLabels } from '../engine/labels.ts';
import type { ImageFacts } from './image-facts.ts';
import type { MountSource } from './mount-sources.ts';
import { type ContainerPolicy, type ImageSpec, planDigest } from './plan-key.ts';

/** Everything that a container is created from. */
export interface ContainerPlan {
  readonly spec: ImageSpec;
  readonly image: ImageFacts;
  readonly network: string;
  readonly sources: readonly MountSource[];
}

const CPU_PERIOD_US = 100_000;

/** Capabilities of a program that runs as root in its container, where the operator allows that: see docs/guides/docker.md. */
const ROOT_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];

/** Returns the request that creates an instance's container. Source: Docker Engine API 1.41, ContainerCreate. */
export function containerOptions(
  { spec, image, network, sources }: ContainerPlan,
  policy: ContainerPolicy,
): ContainerCreateOptions {
  const { memoryBytes, cpuMillis, volumeGroup, owner } = spec;
  const { uid, gid } = image.user;
  return {
    Image: image.id,
    // Setting an entrypoint keeps the engine from using the image's entrypoint and CMD.
    ...(spec.command !== undefined && { Entrypoint: [...spec.command], Cmd: [] }),
    Hostname: owner.deployment.slice(0, 63),
    User: `${uid}:${gid}`,
    Env: Object.entries(environment(spec, image)).map(([name, value]) => `${name}=${value}`),
    Labels: containerLabels(policy.serverId, spec, spec.command === undefined ? planDigest(spec, policy) : undefined),
    // The engine would run an image's own health check as often as the image says, outside of the instance's CPU limit.
    Healthcheck: { Test: ['NONE'] },
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: network,
      Memory: memoryBytes,
      // The same value as Memory: no swap.
      MemorySwap: memoryBytes,
      CpuPeriod: CPU_PERIOD_US,
      CpuQuota: Math.max(1_000, Math.round((cpuMillis * CPU_PERIOD_US) / 1_000)),
      PidsLimit: policy.maxProcesses,
      CapDrop: ['ALL'],
      CapAdd: uid === 0 ? ROOT_CAPABILITIES : [],
      ...(volumeGroup !== undefined && { GroupAdd: [String(volumeGroup)] }),
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: policy.isRootReadOnly,
      // /tmp is in memory. With half of the limit, a full /tmp is an error for the program instead of its end.
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(memoryBytes / 2)}` },
      Mounts: sources.map(({ mount, enginePath }) => ({
        Type: 'bind' as const,
        Source: enginePath,
        Target: mount.target,
        ReadOnly: mount.isReadOnly,
        BindOptions: { Propagation: 'rprivate' as const },
      })),
      Init: policy.hasInit,
      RestartPolicy: { Name: 'no' },
      // The platform stores the logs; the engine's copy would only fill its disk.
      LogConfig: { Type: 'none', Config: {} },
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      ...(policy.ociRuntime !== undefined && { Runtime: policy.ociRuntime }),
      ...(policy.rootBytes !== undefined && { StorageOpt: { size: String(policy.rootBytes) } }),
    },
  };
}

/** Returns the variables that an instance gets besides those of its image. A user without a home folder gets `/tmp`, which is writable. */
function environment({ env, port }: ImageSpec, { user, variables }: ImageFacts): Record<string, string> {
  const needsHome = !user.hasHome && !variables.includes('HOME');
  return { ...(needsHome && { HOME: '/tmp' }), ...env, PORT: String(port) };
}
