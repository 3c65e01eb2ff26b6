import { LAUNCH_CHECK } from '@berth/contract';
import type { Capability } from '@berth/runtime';
import { enforced, missing, partial } from '@berth/runtime/drivers';
import type { CgroupFeatures } from '../cgroup/cgroup.ts';
import type { Networks } from '../network/networks.ts';

/** The results of probing this machine. */
export interface MachineFacts {
  readonly isSandboxed: boolean;
  /** Why there is no sandbox. */
  readonly sandboxProblem: string | undefined;
  /** The sandbox has a system call filter. */
  readonly hasSyscallFilter: boolean;
  readonly hasUsers: boolean;
  readonly cgroups: CgroupFeatures;
  readonly cgroupDescription: string;
  /** Memory and number of other processes can be read. */
  readonly hasProcessTable: boolean;
  readonly hasResourceLimits: boolean;
  readonly networks: Pick<Networks, 'isIsolated' | 'problem'>;
  readonly metadataProblem: string | undefined;
  /** Why no service or build can be started; undefined when they can. */
  readonly launchProblem?: string | undefined;
}

/** The remedy for {@link MachineFacts.launchProblem}. */
export const LAUNCH_REMEDY = 'Start Berth as an ordinary user, or give it these capabilities.';

/** Returns the launch problem of a server that is root without these capabilities. */
export function describeLacking(capabilities: readonly string[]): string {
  return `Berth runs as root without ${capabilities.join(', ')}, so it can't start programs as other users, and it never starts them as root.`;
}

const INSTALL_BUBBLEWRAP =
  'Install bubblewrap (`apt install bubblewrap`, `dnf install bubblewrap`) and start Berth again.';
const GET_CGROUPS =
  'Run Berth as root, or as a systemd service with `Delegate=yes`, so that it may make control groups of its own.';
const GET_NETWORKS =
  'Run Berth as root with nftables and iproute2 installed (`apt install nftables iproute2`), or as a plain user with bubblewrap and pasta (`apt install bubblewrap passt`), or use the docker runtime.';

/** Describes the facts as the capabilities that `berth doctor` prints. */
export function describeCapabilities(facts: MachineFacts): Capability[] {
  const { launchProblem } = facts;
  return [
    ...(launchProblem === undefined
      ? []
      : [{ id: LAUNCH_CHECK, title: 'Services and builds', ...missing(launchProblem, LAUNCH_REMEDY) }]),
    { id: 'sandbox', title: 'Sandbox', ...sandbox(facts) },
    { id: 'syscall-filter', title: 'System call filter', ...syscallFilter(facts) },
    { id: 'user-isolation', title: 'A user for each service', ...users(facts) },
    { id: 'memory-limit', title: 'Memory limit', ...memory(facts) },
    { id: 'cpu-limit', title: 'CPU limit', ...cpu(facts) },
    { id: 'process-limit', title: 'Limit of processes', ...processes(facts) },
    {
      ...{ id: 'disk-limit', title: 'Disk limit' },
      ...partial(
        "An instance's folder is measured every second; instances over their limit are stopped.",
        'Put the data folder on a disk of its own.',
      ),
    },
    { id: 'network-isolation', title: 'Network isolation', ...network(facts) },
    { id: 'metadata-address', title: "Cloud's metadata address", ...metadata(facts) },
  ];
}

function sandbox({ isSandboxed, sandboxProblem, hasUsers }: MachineFacts) {
  if (isSandboxed) {
    return enforced('Each service sees the system read-only and its own files, in its own namespaces (bubblewrap).');
  }
  const why = sandboxProblem ?? 'switched off';
  return hasUsers
    ? partial(
        `Services run as separate users but can read what every user of this machine can (${why}).`,
        INSTALL_BUBBLEWRAP,
      )
    : missing(
        `Services can read and change all that this server's user can, Berth's own data included (${why}).`,
        INSTALL_BUBBLEWRAP,
      );
}

function syscallFilter({ hasSyscallFilter, isSandboxed }: MachineFacts) {
  if (hasSyscallFilter) {
    return enforced(
      "Services and builds can make the system calls that Docker's default profile allows, and no user namespaces (seccomp).",
    );
  }
  return missing(
    'Services and builds can make every system call that the kernel offers to unprivileged users.',
    isSandboxed
      ? 'Run Berth without --nested-sandboxes, on x64 or arm64, with a kernel that has CONFIG_SECCOMP_FILTER.'
      : INSTALL_BUBBLEWRAP,
  );
}

function users({ hasUsers, isSandboxed }: MachineFacts) {
  if (hasUsers) return enforced('Each service runs as its own unprivileged user.');
  const remedy = 'Run Berth as root: it then starts each service as a user of its own, never as root.';
  return isSandboxed
    ? partial("All services run as this server's user; the sandbox keeps them apart.", remedy)
    : missing("All services run as this server's user and can access each other's processes and files.", remedy);
}

/** Without a sandbox no gate holds a new program back: on a busy machine it may fork before it is in its control group. */
function heldByKernel({ cgroupDescription, isSandboxed }: MachineFacts) {
  return isSandboxed
    ? enforced(`Enforced by the kernel (${cgroupDescription}).`)
    : partial(
        'Enforced by the kernel, but without a sandbox the first child processes may not be counted.',
        'Install bubblewrap: apt-get install bubblewrap.',
      );
}

function memory(facts: MachineFacts) {
  if (facts.cgroups.memory) return heldByKernel(facts);
  return facts.hasProcessTable
    ? partial(
        'Checked twice per second: a service over its limit is stopped, but can exceed it for half a second.',
        GET_CGROUPS,
      )
    : missing('A service can use all memory.', GET_CGROUPS);
}

function cpu(facts: MachineFacts) {
  if (facts.cgroups.cpu) return heldByKernel(facts);
  return missing('A service can use all CPU.', GET_CGROUPS);
}

function processes(facts: MachineFacts) {
  if (facts.cgroups.processes) return heldByKernel(facts);
  if (facts.hasUsers && facts.hasResourceLimits) {
    return partial('Enforced per service, not per instance.', GET_CGROUPS);
  }
  return facts.hasProcessTable
    ? partial('Checked twice per second: a fork bomb is stopped, but slows the machine until then.', GET_CGROUPS)
    : missing('A fork bomb can take this machine down.', GET_CGROUPS);
}

function network({ networks: { isIsolated, problem } }: MachineFacts) {
  if (isIsolated) {
    return enforced(
      'Each instance and each build has its own network: it can reach the internet, but no other instance and nothing on this machine.',
    );
  }
  return missing(
    `Services share this machine's network: they can connect to each other's ports and to other programs on it, and other machines can connect to theirs unless a firewall blocks them (${problem ?? 'switched off'}).`,
    GET_NETWORKS,
  );
}

function metadata({ metadataProblem, networks }: MachineFacts) {
  if (metadataProblem === undefined || networks.isIsolated) {
    return enforced("Services and builds can't connect to a cloud's metadata service.");
  }
  return missing(
    `On a cloud machine, services and builds can get its credentials (${metadataProblem}).`,
    'Run Berth as root with iproute2 installed, or disable the metadata service.',
  );
}
