import type { Capability } from '@berth/runtime';
import { enforced, missing, partial } from '@berth/runtime/drivers';
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
  const { engine, ociRuntime, isRootAllowed, hasDiskQuota, firewallProblem } = facts;
  const by = `${engine.product} ${engine.version}, cgroups v${engine.cgroupVersion}`;
  const held = enforced(`Enforced by the kernel (${by}).`);
  const isGuarded = firewallProblem === undefined;
  return [
    {
      ...{ id: 'sandbox', title: 'Sandbox' },
      ...enforced(
        `Each instance is a separate container (${by}${ociRuntime ? `, ${ociRuntime}` : ''}), without capabilities or new privileges.`,
      ),
    },
    {
      ...{ id: 'user-isolation', title: 'No service runs as root' },
      ...(isRootAllowed
        ? partial(
            'Images may be root inside their container, with a short list of capabilities.',
            'Start the server without --allow-root-images.',
          )
        : enforced('Images that request root run as an unprivileged user.')),
    },
    {
      ...{ id: 'syscall-filter', title: 'System call filter' },
      ...(engine.hasSyscallFilter
        ? enforced(`By the seccomp profile of the engine (${engine.product}).`)
        : missing(
            'Services and builds can make every system call: the engine has no seccomp profile.',
            'Use an engine with seccomp, and no `seccomp-profile` of `unconfined` in its settings.',
          )),
    },
    { id: 'memory-limit', title: 'Memory limit', ...held },
    { id: 'cpu-limit', title: 'CPU limit', ...held },
    { id: 'process-limit', title: 'Limit of processes', ...held },
    {
      ...{ id: 'disk-limit', title: 'Disk limit' },
      ...(hasDiskQuota
        ? enforced(`Enforced by the storage driver (${engine.storageDriver}).`)
        : partial(
            'Disk use of containers is measured every ten seconds; containers over their limit are stopped.',
            "Put the engine's data on XFS mounted with pquota, on Btrfs or on ZFS.",
          )),
    },
    {
      ...{ id: 'network-isolation', title: 'Network isolation' },
      ...(isGuarded
        ? enforced("Instances can reach the internet, but not each other or this machine's ports.")
        : partial(
            `Instances can't reach each other, but can reach services on this machine (${firewallProblem}).`,
            'Run Berth as root with iptables installed.',
          )),
    },
    {
      ...{ id: 'metadata-address', title: "Cloud's metadata address" },
      ...(isGuarded
        ? enforced('Services and builds are refused connections to 169.254.0.0/16.')
        : missing(
            `On a cloud machine, services and builds can get its credentials (${firewallProblem}).`,
            'Run Berth as root with iptables installed, or disable the metadata service.',
          )),
    },
  ];
}
