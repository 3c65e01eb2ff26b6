import { constants } from 'node:os';
import { ALLOW, type Condition, fail, type Rule } from './rule.ts';

/** Rules in which Berth differs from Docker's profile. */
export interface Delta extends Rule {
  readonly names: readonly string[];
  readonly reason: string;
}

const { EAFNOSUPPORT, EPERM } = constants.errno;

/** The whole argument: one with bits that the kernel would cut off equals none of the values that are allowed. */
const exactly = (index: number, value: number): Condition => ({
  index,
  mask: 0xffff_ffff_ffff_ffffn,
  value: BigInt(value),
});
/** The half that the kernel looks at: bits above it don't hide a value that is denied (CVE-2019-10063). */
const low = (index: number, value: number): Condition => ({ index, mask: 0xffff_ffffn, value: BigInt(value) });
const DENIED = { cases: [], otherwise: fail(EPERM) };

const AF_UNIX = 1;
const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const NETLINK_ROUTE = 0;
const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/**
 * Each entry replaces what the profile says of the calls that it names. Docker's profile denies most of `DENIED` today,
 * for programs without capabilities; a refreshed profile can't allow them by accident.
 */
export const DELTAS: readonly Delta[] = [
  {
    names: ['unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'chroot'],
    ...DENIED,
    reason:
      'In a user namespace an unprivileged program has every capability, and reaches the parts of the kernel with the most privilege escalations.',
  },
  {
    names: ['open_tree', 'open_tree_attr', 'move_mount', 'mount_setattr', 'fsopen', 'fsconfig', 'fsmount', 'fspick'],
    ...DENIED,
    reason: 'The newer interface to mounts, denied for the same reason.',
  },
  {
    names: ['add_key', 'request_key', 'keyctl'],
    ...DENIED,
    reason: 'Keyrings belong to a user id, not to a namespace: services of one user would share them.',
  },
  {
    names: ['bpf', 'perf_event_open', 'userfaultfd'],
    ...DENIED,
    reason: 'Common ingredients of kernel exploits; services and builds have no use for them.',
  },
  {
    names: ['io_uring_setup', 'io_uring_enter', 'io_uring_register'],
    ...DENIED,
    reason: 'A second way to make system calls, which no filter sees. Node and Go work without it.',
  },
  {
    names: ['ioctl'],
    cases: [TIOCSTI, TIOCLINUX].map((request) => ({ when: [low(1, request)], action: fail(EPERM) })),
    otherwise: ALLOW,
    reason: 'These two requests type into the terminal of whoever started the program.',
  },
  {
    names: ['socket'],
    cases: [
      ...[AF_UNIX, AF_INET, AF_INET6].map((family) => ({ when: [exactly(0, family)], action: ALLOW })),
      { when: [exactly(0, AF_NETLINK), exactly(2, NETLINK_ROUTE)], action: ALLOW },
    ],
    otherwise: fail(EAFNOSUPPORT),
    reason:
      'Docker denies AF_ALG and AF_VSOCK only. Other families load kernel modules on demand, and AF_VSOCK reaches the hypervisor. getifaddrs(3) needs NETLINK_ROUTE.',
  },
  {
    names: ['socketpair'],
    cases: [{ when: [exactly(0, AF_UNIX)], action: ALLOW }],
    otherwise: fail(EAFNOSUPPORT),
    reason: 'As socket(2).',
  },
];
