import type { Capability } from '@berth/runtime';
import type { EngineFacts } from '../engine/open-engine.ts';

/** The results of probing an engine and this machine. */
export interface DockerFacts {
  readonly engine: EngineFacts;
  /** Why containers can reach this machine; undefined when they can't. */
  readonly firewallProblem: string | undefined;
  /** The storage driver enforces the disk limit. */
  readonly hasDiskQuota: boolean;
  readonly isRootAllowed: boolean;
  readonly ociRuntime: string | undefined;
}

/** Describes the facts as the capabilities that `berth doctor` prints. */
export function describeCapabilities(facts: DockerFacts): Capability[] {
  const { engine, ociRuntime } = facts;
  const by = `${engine.product} ${engine.version}, cgroups v${engine.cgroupVersion}`;
  const held = `Held by the kernel (${by}).`;
  return [
    {
      id: 'sandbox',
      title: 'Sandbox',
      status: 'enforced',
      detail: `Each instance is a container of its own (${by}${ociRuntime ? `, ${ociRuntime}` : ''}), without capabilities or new privileges.`,
    },
    users(facts),
    syscalls(facts),
    { id: 'memory-limit', title: 'Memory limit', status: 'enforced', detail: held },
    { id: 'cpu-limit', title: 'CPU limit', status: 'enforced', detail: held },
    { id: 'process-limit', title: 'Limit of processes', status: 'enforced', detail: held },
    disk(facts),
    ...network(facts),
  ];
}

function users({ isRootAllowed }: DockerFacts): Capability {
  const about = { id: 'user-isolation', title: 'No service runs as root' };
  if (!isRootAllowed) {
    return { ...about, status: 'enforced', detail: 'An image that wants to be root runs as an unprivileged user.' };
  }
  return {
    ...about,
    status: 'partial',
    detail: 'Images may be root inside their container, with a short list of capabilities.',
    remedy: 'Start the server without --allow-root-images.',
  };
}

function syscalls({ engine }: DockerFacts): Capability {
  const about = { id: 'syscall-filter', title: 'System call filter' };
  if (engine.hasSyscallFilter) {
    return { ...about, status: 'enforced', detail: `By the seccomp profile of the engine (${engine.product}).` };
  }
  return {
    ...about,
    status: 'missing',
    detail: 'Services and builds can make every system call: the engine has no seccomp profile.',
    remedy: 'Use an engine with seccomp, and no `seccomp-profile` of `unconfined` in its settings.',
  };
}

function disk({ hasDiskQuota, engine }: DockerFacts): Capability {
  const about = { id: 'disk-limit', title: 'Disk limit' };
  if (hasDiskQuota) {
    return { ...about, status: 'enforced', detail: `Held by the storage driver (${engine.storageDriver}).` };
  }
  return {
    ...about,
    status: 'partial',
    detail: 'What a container writes is measured every ten seconds; one that outgrows its limit is ended.',
    remedy: "Put the engine's data on XFS mounted with pquota, on Btrfs or on ZFS.",
  };
}

function network({ firewallProblem }: DockerFacts): Capability[] {
  const isGuarded = firewallProblem === undefined;
  const remedy = 'Run Berth as root with iptables installed.';
  return [
    {
      id: 'network-isolation',
      title: 'Network isolation',
      ...(isGuarded
        ? {
            status: 'enforced',
            detail: "Instances reach the internet, and neither each other nor this machine's ports.",
          }
        : {
            status: 'partial',
            detail: `Instances don't reach each other, but whatever listens on this machine (${firewallProblem}).`,
            remedy,
          }),
    },
    {
      id: 'metadata-address',
      title: "Cloud's metadata address",
      ...(isGuarded
        ? { status: 'enforced', detail: 'Services and builds are refused connections to 169.254.0.0/16.' }
        : {
            status: 'missing',
            detail: `On a machine of a cloud, services and builds can ask for its credentials (${firewallProblem}).`,
            remedy: `${remedy.slice(0, -1)}, or switch the metadata service off.`,
          }),
    },
  ];
}
