import { type DoctorCheck, LAUNCH_CHECK } from './doctor.ts';

/** A protection that isolates the accounts of a platform from each other. */
export interface IsolationRequirement {
  /** Id of a check of `GET /v1/doctor`. */
  readonly id: string;
  /** The statuses with which accounts that don't trust each other may run programs. */
  readonly sufficient: readonly DoctorCheck['status'][];
  /** The guarantee when the protection is enforced, without details of the machine. */
  readonly enforced: string;
  /** The risk when it isn't. */
  readonly otherwise: string;
}

/**
 * The requirements of a platform whose accounts don't trust each other, the most important first. `--require-isolation` and
 * `--sign-up` enforce them. `berth doctor`, the start-up output and what accounts see use this order and these texts.
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
    // If all services share the server's user, one sandbox escape reaches every account.
    id: 'user-isolation',
    sufficient: ['enforced'],
    enforced: 'Services and builds run as separate unprivileged users.',
    otherwise: 'Services and builds share a user with others, or may be root in their container.',
  },
  {
    id: 'syscall-filter',
    sufficient: ['enforced'],
    enforced: "Services and builds can't make system calls that programs rarely need.",
    otherwise: 'Services and builds can make every system call, which exposes more kernel vulnerabilities.',
  },
  {
    id: 'memory-limit',
    sufficient: ['enforced'],
    enforced: 'The kernel enforces the memory limits of services and builds.',
    otherwise: 'A service or build can exhaust the memory of others.',
  },
  {
    id: 'process-limit',
    sufficient: ['enforced'],
    enforced: 'The kernel enforces the process limits.',
    otherwise: 'A service or build can start so many processes that others fail.',
  },
  {
    id: 'cpu-limit',
    sufficient: ['enforced'],
    enforced: 'The kernel enforces the CPU limits of services and builds.',
    otherwise: 'A service or build can slow others down.',
  },
  {
    // Most file systems have no quota. A service that exceeds its limit is stopped, and a full disk loses no data.
    id: 'disk-limit',
    sufficient: ['enforced', 'partial'],
    enforced: 'The disk space limits are enforced.',
    otherwise: 'A service can exceed its disk space limit for some seconds.',
  },
];

/** A requirement that a machine doesn't meet, with the result of its check; undefined when it wasn't checked. */
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

/**
 * Returns `checks` sorted: the check that prevents all services from starting, those of {@link ISOLATION} in its order, then
 * the others in theirs.
 */
export function sortChecks(checks: readonly DoctorCheck[]): DoctorCheck[] {
  const rank = ({ id }: DoctorCheck) => {
    if (id === LAUNCH_CHECK) return -1;
    const index = ISOLATION.findIndex((requirement) => requirement.id === id);
    return index === -1 ? ISOLATION.length : index;
  };
  return checks.toSorted((a, b) => rank(a) - rank(b));
}
