import { type DoctorCheck, LAUNCH_CHECK } from './doctor.ts';

/** One protection that keeps the accounts of a platform apart. */
export interface IsolationRequirement {
  /** Of a check of `GET /v1/doctor`. */
  readonly id: string;
  /** The statuses with which strangers may run programs. */
  readonly sufficient: readonly DoctorCheck['status'][];
  /** What holds where it is enforced, without anything about the machine. */
  readonly enforced: string;
  /** What may happen where it isn't. */
  readonly otherwise: string;
}

/**
 * All that a platform with accounts that don't trust each other needs, the most important first. `--require-isolation` and
 * `--sign-up` insist on it; `berth doctor`, the lines of a start and what accounts are told follow its order and its words.
 */
export const ISOLATION: readonly IsolationRequirement[] = [
  {
    id: 'sandbox',
    sufficient: ['enforced'],
    enforced: 'Services and builds see only their own files and processes.',
    otherwise: "Services and builds can reach files and processes that aren't theirs.",
  },
  {
    id: 'network-isolation',
    sufficient: ['enforced'],
    enforced: "Services and builds can't connect to each other, or to the machine that they run on.",
    otherwise: 'Services and builds can connect to each other, or to the machine that they run on.',
  },
  {
    id: 'metadata-address',
    sufficient: ['enforced'],
    enforced: "Services and builds can't reach a cloud's metadata address.",
    otherwise: "On a cloud's machine, services and builds can ask for the machine's credentials.",
  },
  {
    // Where all services share the server's own user, one way out of the sandbox leads to every account.
    id: 'user-isolation',
    sufficient: ['enforced'],
    enforced: 'Services and builds run as unprivileged users of their own.',
    otherwise: 'Services and builds share a user with others, or may be root in their container.',
  },
  {
    id: 'syscall-filter',
    sufficient: ['enforced'],
    enforced: "Services and builds can't make system calls that programs rarely need.",
    otherwise: 'Services and builds can make every system call, so more faults of the kernel are in their reach.',
  },
  {
    id: 'memory-limit',
    sufficient: ['enforced'],
    enforced: 'The kernel holds the memory limits of services and builds.',
    otherwise: 'A service or build can take the memory of others.',
  },
  {
    id: 'process-limit',
    sufficient: ['enforced'],
    enforced: 'The kernel holds the limits of processes.',
    otherwise: 'A service or build can start so many processes that others stop.',
  },
  {
    id: 'cpu-limit',
    sufficient: ['enforced'],
    enforced: 'The kernel holds the CPU limits of services and builds.',
    otherwise: 'A service or build can slow others down.',
  },
  {
    // Most file systems have no quota. A service that outgrows its limit is ended, and a disk that fills up loses no data.
    id: 'disk-limit',
    sufficient: ['enforced', 'partial'],
    enforced: 'The limits of disk space are held.',
    otherwise: 'A service can take more disk space than its limit for some seconds.',
  },
];

/** A requirement that a machine doesn't meet, and what the machine says of it; undefined: nothing. */
export interface IsolationGap {
  readonly requirement: IsolationRequirement;
  readonly check: DoctorCheck | undefined;
}

/** Returns the requirements that `checks` don't meet, the most important first. */
export function findIsolationGaps(checks: readonly DoctorCheck[]): readonly IsolationGap[] {
  return ISOLATION.flatMap((requirement) => {
    const check = checks.find(({ id }) => id === requirement.id);
    return check && requirement.sufficient.includes(check.status) ? [] : [{ requirement, check }];
  });
}

/** Returns `checks` with what keeps all services from starting first, then those of {@link ISOLATION} in its order; the others keep theirs. */
export function sortChecks(checks: readonly DoctorCheck[]): DoctorCheck[] {
  const rank = ({ id }: DoctorCheck) => {
    if (id === LAUNCH_CHECK) return -1;
    const index = ISOLATION.findIndex((requirement) => requirement.id === id);
    return index === -1 ? ISOLATION.length : index;
  };
  return checks.toSorted((a, b) => rank(a) - rank(b));
}
