import type { InstanceSpec } from '@berth/runtime';
import type { ContainerCreateOptions } from 'dockerode';
import { containerLabels } from '../engine/labels.ts';
import type { ContainerPolicy } from './container-policy.ts';
import type { ImageFacts } from './image-facts.ts';
import type { MountSource } from './mount-sources.ts';
import { type ImageSpec, planDigest } from './plan-key.ts';

export interface ContainerPlan {
  readonly spec: ImageSpec;
  readonly image: ImageFacts;
  readonly network: string;
  readonly sources: readonly MountSource[];
}

const CPU_PERIOD_US = 100_000;

/** What a program that is root inside may still do, where the operator lets images be root: see docs/guides/docker.md. */
const ROOT_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];

/** The container of an instance. Source: Docker Engine API 1.41, ContainerCreate. */
export function containerOptions(
  { spec, image, network, sources }: ContainerPlan,
  policy: ContainerPolicy,
): ContainerCreateOptions {
  const { memoryBytes, cpuMillis, volumeGroup, owner } = spec;
  const { uid, gid } = image.user;
  return {
    Image: image.id,
    // An entrypoint of its own keeps the engine from taking the image's, and its CMD with it.
    ...(spec.command !== undefined && { Entrypoint: [...spec.command], Cmd: [] }),
    Hostname: owner.deployment.slice(0, 63),
    User: `${uid}:${gid}`,
    Env: Object.entries(environment(spec, image)).map(([name, value]) => `${name}=${value}`),
    Labels: containerLabels(policy.serverId, spec, spec.command === undefined ? planDigest(spec, policy) : undefined),
    // The engine would run an image's own check as often as the image likes, outside of the instance's share of the CPU.
    Healthcheck: { Test: ['NONE'] },
    AttachStdout: true,
    AttachStderr: true,
    HostConfig: {
      NetworkMode: network,
      Memory: memoryBytes,
      // The same: no swap.
      MemorySwap: memoryBytes,
      CpuPeriod: CPU_PERIOD_US,
      CpuQuota: Math.max(1_000, Math.round((cpuMillis * CPU_PERIOD_US) / 1_000)),
      PidsLimit: policy.maxProcesses,
      CapDrop: ['ALL'],
      CapAdd: uid === 0 ? ROOT_CAPABILITIES : [],
      ...(volumeGroup !== undefined && { GroupAdd: [String(volumeGroup)] }),
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: policy.isRootReadOnly,
      // In memory, so half of it: a full /tmp is an error to the program and not its end.
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
      // The platform keeps the logs; the engine's own would only fill its disk.
      LogConfig: { Type: 'none', Config: {} },
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      ...(policy.ociRuntime !== undefined && { Runtime: policy.ociRuntime }),
      ...(policy.rootBytes !== undefined && { StorageOpt: { size: String(policy.rootBytes) } }),
    },
  };
}

/** What an instance finds besides what its image sets. A user without a home folder gets the one that can be written. */
function environment({ env, port }: InstanceSpec, { user, variables }: ImageFacts): Record<string, string> {
  const needsHome = !user.hasHome && !variables.includes('HOME');
  return { ...(needsHome && { HOME: '/tmp' }), ...env, PORT: String(port) };
}
