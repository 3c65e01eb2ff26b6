import type { InstanceSpec } from '@berth/runtime';
import type { ContainerCreateOptions } from 'dockerode';
import type { ContainerPolicy } from './container-policy.ts';
import type { ImageFacts } from './image-facts.ts';
import { containerLabels } from './labels.ts';
import { volumeGroup } from './mount-sources.ts';
import { planDigest } from './plan-key.ts';

export interface ContainerPlan {
  readonly spec: InstanceSpec;
  /** Of its image. */
  readonly reference: string;
  readonly image: ImageFacts;
  readonly network: string;
  /** Absolute host paths of the mounts' sources, in their order, as the engine is told them. */
  readonly mountSources: readonly string[];
}

const CPU_PERIOD_US = 100_000;

/** What a program that is root inside may still do, where the operator lets images be root: see docs/guides/docker.md. */
const ROOT_CAPABILITIES = ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'];

/** The container of an instance. Source: Docker Engine API 1.41, ContainerCreate. */
export function containerOptions(
  { spec, reference, image, network, mountSources }: ContainerPlan,
  policy: ContainerPolicy,
): ContainerCreateOptions {
  const { memoryBytes, cpuMillis, mounts, owner } = spec;
  const { uid, gid } = image.user;
  return {
    Image: image.id,
    Hostname: owner.deployment.slice(0, 63),
    User: `${uid}:${gid}`,
    Env: Object.entries(environment(spec, image)).map(([name, value]) => `${name}=${value}`),
    Labels: containerLabels(policy.serverId, spec, planDigest(spec, reference, policy)),
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
      ...(mounts.length > 0 && { GroupAdd: [String(volumeGroup())] }),
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: policy.isRootReadOnly,
      // In memory, so half of it: a full /tmp is an error to the program and not its end.
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,mode=1777,size=${Math.floor(memoryBytes / 2)}` },
      Mounts: mounts.map(({ target, isReadOnly }, index) => ({
        Type: 'bind' as const,
        Source: mountSources[index] ?? '',
        Target: target,
        ReadOnly: isReadOnly,
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
