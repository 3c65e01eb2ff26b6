import { LAUNCH_CHECK } from '@berth/contract';
import type { Capability } from '@berth/runtime';
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
  return [
    ...launch(facts),
    sandbox(facts),
    syscallFilter(facts),
    users(facts),
    memory(facts),
    cpu(facts),
    processes(facts),
    disk(),
    network(facts),
    metadata(facts),
  ];
}

/** Listed only when it is missing. */
function launch({ launchProblem }: MachineFacts): Capability[] {
  if (launchProblem === undefined) return [];
  const about = { id: LAUNCH_CHECK, title: 'Services and builds' };
  return [{ ...about, status: 'missing', detail: launchProblem, remedy: LAUNCH_REMEDY }];
}

function sandbox({ isSandboxed, sandboxProblem, hasUsers }: MachineFacts): Capability {
  const about = { id: 'sandbox', title: 'Sandbox' };
  if (isSandboxed) {
    return {
      ...about,
      status: 'enforced',
      detail: 'Each service sees the system read-only and its own files, in namespaces of its own (bubblewrap).',
    };
  }
  const why = sandboxProblem ?? 'switched off';
  return hasUsers
    ? {
        ...about,
        status: 'partial',
        detail: `Services run as users of their own but see what every user of this machine may read (${why}).`,
        remedy: INSTALL_BUBBLEWRAP,
      }
    : {
        ...about,
        status: 'missing',
        detail: `Services can read and change all that this server's user can, Berth's own data included (${why}).`,
        remedy: INSTALL_BUBBLEWRAP,
      };
}

function syscallFilter({ hasSyscallFilter, isSandboxed }: MachineFacts): Capability {
  const about = { id: 'syscall-filter', title: 'System call filter' };
  if (hasSyscallFilter) {
    return {
      ...about,
      status: 'enforced',
      detail:
        "Services and builds can make the system calls that Docker's default profile allows, and no user namespaces (seccomp).",
    };
  }
  return {
    ...about,
    status: 'missing',
    detail: 'Services and builds can make every system call that the kernel offers to unprivileged users.',
    remedy: isSandboxed
      ? 'Run Berth without --nested-sandboxes, on x64 or arm64, with a kernel that has CONFIG_SECCOMP_FILTER.'
      : INSTALL_BUBBLEWRAP,
  };
}

function users({ hasUsers, isSandboxed }: MachineFacts): Capability {
  const about = { id: 'user-isolation', title: 'A user for each service' };
  if (hasUsers)
    return { ...about, status: 'enforced', detail: 'Each service runs as an unprivileged user of its own.' };
  return {
    ...about,
    status: isSandboxed ? 'partial' : 'missing',
    detail: isSandboxed
      ? "All services run as this server's user; the sandbox keeps them apart."
      : "All services run as this server's user and can get at each other's processes and files.",
    remedy: 'Run Berth as root: it then starts each service as a user of its own, never as root.',
  };
}

/** Without a sandbox no gate holds a new program back: on a busy machine it may fork before it is in its control group. */
const LATE = {
  status: 'partial',
  detail: 'Held by the kernel, but without a sandbox a child that is started in the first instant may not be counted.',
  remedy: 'Install bubblewrap: apt-get install bubblewrap.',
} as const;

function memory({ cgroups, cgroupDescription, hasProcessTable, isSandboxed }: MachineFacts): Capability {
  const about = { id: 'memory-limit', title: 'Memory limit' };
  if (cgroups.memory && !isSandboxed) return { ...about, ...LATE };
  if (cgroups.memory) return { ...about, status: 'enforced', detail: `Held by the kernel (${cgroupDescription}).` };
  return {
    ...about,
    status: hasProcessTable ? 'partial' : 'missing',
    detail: hasProcessTable
      ? 'Looked at twice a second: a service over its limit is ended, but may have crossed it for half a second.'
      : 'A service may take all the memory there is.',
    remedy: GET_CGROUPS,
  };
}

function cpu({ cgroups, cgroupDescription, isSandboxed }: MachineFacts): Capability {
  const about = { id: 'cpu-limit', title: 'CPU limit' };
  if (cgroups.cpu && !isSandboxed) return { ...about, ...LATE };
  if (cgroups.cpu) return { ...about, status: 'enforced', detail: `Held by the kernel (${cgroupDescription}).` };
  return { ...about, status: 'missing', detail: 'A service may take all the CPU there is.', remedy: GET_CGROUPS };
}

function processes({
  cgroups,
  cgroupDescription,
  hasUsers,
  hasResourceLimits,
  hasProcessTable,
  isSandboxed,
}: MachineFacts): Capability {
  const about = { id: 'process-limit', title: 'Limit of processes' };
  if (cgroups.processes && !isSandboxed) return { ...about, ...LATE };
  if (cgroups.processes) return { ...about, status: 'enforced', detail: `Held by the kernel (${cgroupDescription}).` };
  if (hasUsers && hasResourceLimits) {
    return {
      ...about,
      status: 'partial',
      detail: 'Held for each service, not for each instance.',
      remedy: GET_CGROUPS,
    };
  }
  return {
    ...about,
    status: hasProcessTable ? 'partial' : 'missing',
    detail: hasProcessTable
      ? 'Looked at twice a second: a fork bomb is ended, but slows the machine until then.'
      : 'A fork bomb brings this machine down.',
    remedy: GET_CGROUPS,
  };
}

function disk(): Capability {
  return {
    id: 'disk-limit',
    title: 'Disk limit',
    status: 'partial',
    detail: "An instance's own folder is measured every second; one that outgrows its limit is ended.",
    remedy: 'Put the data folder on a disk of its own.',
  };
}

function network({ networks: { isIsolated, problem } }: MachineFacts): Capability {
  const about = { id: 'network-isolation', title: 'Network isolation' };
  if (isIsolated) {
    return {
      ...about,
      status: 'enforced',
      detail:
        'Each instance and each build has a network of its own: it reaches the internet, but no other instance and nothing on this machine.',
    };
  }
  return {
    ...about,
    status: 'missing',
    detail: `Services share this machine's network: they can connect to each other's ports and to whatever listens on it, and other machines can connect to theirs where no firewall is (${problem ?? 'switched off'}).`,
    remedy: GET_NETWORKS,
  };
}

function metadata({ metadataProblem, networks }: MachineFacts): Capability {
  const about = { id: 'metadata-address', title: "Cloud's metadata address" };
  if (metadataProblem === undefined || networks.isIsolated) {
    return { ...about, status: 'enforced', detail: "Services and builds can't connect to a cloud's metadata service." };
  }
  return {
    ...about,
    status: 'missing',
    detail: `On a machine of a cloud, services and builds can ask for its credentials (${metadataProblem}).`,
    remedy: 'Run Berth as root with iproute2 installed, or switch the metadata service off.',
  };
}
