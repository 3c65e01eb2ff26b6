import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { compileFilter } from './compile-filter.ts';
import { DELTAS } from './deltas.ts';
import {
  FILTER_FOLDER,
  isApplicable,
  type ProfileArgument,
  type ProfileEntry,
  readNumbers,
  readProfile,
  readRules,
} from './read-rules.ts';
import { ALLOW, ARCHITECTURES, type Architecture, fail, KILL_PROCESS } from './rule.ts';
import { runFilter } from './run-filter.ts';

const { EAFNOSUPPORT, ENOSYS, EPERM } = constants.errno;
const PROFILE = readProfile();
const OURS = new Set(DELTAS.flatMap(({ names }) => names));
/** `SIGCHLD` with one bit each of `CLONE_NEWNS`, `NEWCGROUP`, `NEWUTS`, `NEWIPC`, `NEWUSER`, `NEWPID`, `NEWNET`. */
const CLONE_NEW = [0x0002_0000n, 0x0200_0000n, 0x0400_0000n, 0x0800_0000n, 0x1000_0000n, 0x2000_0000n, 0x4000_0000n];
/** `CLONE_VM | FS | FILES | SIGHAND | THREAD | SYSVSEM | SETTLS | PARENT_SETTID | CHILD_CLEARTID`: a thread of glibc. */
const CLONE_THREAD = 0x003d_0f00n;
const HIGH_BIT = 1n << 32n;

/** Berth's own part of the table, by what it is for: written here again, so that no entry goes unnoticed. */
const ATTEMPTS: readonly (readonly [name: string, args: readonly bigint[], verdict: number])[] = [
  ...CLONE_NEW.map((flag) => ['clone', [flag | 17n], fail(EPERM)] as const),
  ['clone', [17n], ALLOW],
  ['clone', [CLONE_THREAD], ALLOW],
  ['clone3', [], fail(ENOSYS)],
  ...['unshare', 'setns', 'mount', 'umount2', 'pivot_root', 'chroot'].map(denied),
  ...['open_tree', 'move_mount', 'mount_setattr', 'fsopen', 'fsconfig', 'fsmount', 'fspick'].map(denied),
  ...['add_key', 'request_key', 'keyctl', 'bpf', 'perf_event_open', 'userfaultfd'].map(denied),
  ...['io_uring_setup', 'io_uring_enter', 'io_uring_register'].map(denied),
  ...['init_module', 'finit_module', 'kexec_load', 'open_by_handle_at', 'quotactl', 'swapon', 'reboot'].map(denied),
  // TIOCSTI and TIOCLINUX, also with bits that the kernel cuts off.
  ...[0x5412n, 0x541cn].flatMap((request) => [
    ['ioctl', [0n, request], fail(EPERM)] as const,
    ['ioctl', [0n, request | HIGH_BIT], fail(EPERM)] as const,
  ]),
  // TCGETS.
  ['ioctl', [0n, 0x5401n], ALLOW],
  ...[1n, 2n, 10n].map((family) => ['socket', [family, 1n, 0n], ALLOW] as const),
  ['socket', [16n, 3n, 0n], ALLOW],
  // NETLINK_SOCK_DIAG and NETLINK_NETFILTER; AF_PACKET, AF_TIPC, AF_ALG, AF_VSOCK, AF_XDP.
  ...[4n, 12n].map((protocol) => ['socket', [16n, 3n, protocol], fail(EAFNOSUPPORT)] as const),
  ...[17n, 30n, 38n, 40n, 44n].map((family) => ['socket', [family, 1n, 0n], fail(EAFNOSUPPORT)] as const),
  ['socket', [38n | HIGH_BIT, 1n, 0n], fail(EAFNOSUPPORT)],
  ['socketpair', [1n, 1n, 0n], ALLOW],
  ['socketpair', [30n, 1n, 0n], fail(EAFNOSUPPORT)],
  ['personality', [0n], ALLOW],
  // ADDR_NO_RANDOMIZE.
  ['personality', [0x0040000n], fail(EPERM)],
  ['ptrace', [], ALLOW],
];

function denied(name: string) {
  return [name, [], fail(EPERM)] as const;
}

for (const architecture of Object.keys(ARCHITECTURES) as Architecture[]) {
  const { audit } = ARCHITECTURES[architecture];
  const filter = readFileSync(path.join(FILTER_FOLDER, `${architecture}.bpf`));
  const numbers = readNumbers(architecture);
  const call = (name: string, args: readonly bigint[] = []): number => {
    const number = numbers.get(name);
    if (number === undefined) throw new Error(`${architecture} has no ${name}`);
    return runFilter(filter, { audit, number, args });
  };

  describe(`the filter for ${architecture}`, () => {
    // Fails when the profile, a delta or a number is changed without `npm run seccomp`.
    test('is what the profile and the deltas compile to', () => {
      expect(compileFilter(architecture).equals(filter)).toBe(true);
    });

    // Fails when the compiler drops a condition, or the ranges are shifted by one.
    test('answers each call that Berth leaves alone as the profile does', () => {
      let checked = 0;
      for (const [name] of numbers) {
        if (OURS.has(name)) continue;
        const entries = PROFILE.syscalls.filter(
          (entry) => entry.names.includes(name) && isApplicable(entry, architecture),
        );
        for (const args of samples(entries)) {
          const expected = numberOf(name) > newest(numbers) ? fail(ENOSYS) : expectedOf(entries, args);
          expect([name, args, call(name, args)]).toEqual([name, args, expected]);
          checked++;
        }
      }
      expect(checked).toBeGreaterThan(300);
    });

    // Fails when an entry of DELTAS is taken out that the profile allows, when its mask is widened, and when an updated
    // profile allows what is denied here.
    test.each(ATTEMPTS)('%s(%s) → %i', (name, args, verdict) => {
      expect(call(name, args)).toBe(verdict);
    });

    test('every delta names system calls', () => {
      for (const name of OURS) expect([name, numbers.has(name)]).toEqual([name, true]);
    });

    // Fails when the first three instructions go: the numbers of another architecture mean other calls.
    test('ends programs of other architectures', () => {
      for (const other of [0x4000_0003, 0x4000_0028, 0xc000_003e, 0xc000_00b7].filter((one) => one !== audit))
        expect(runFilter(filter, { audit: other, number: 1 })).toBe(KILL_PROCESS);
    });

    // Fails when unknown numbers get EPERM: the C library would not fall back to an older call.
    test('does not have calls that are newer than the rules, nor those of x32', () => {
      for (const number of [newest(numbers) + 1, 1_000, 0x4000_0001, 0xffff_ffff])
        expect(runFilter(filter, { audit, number })).toBe(fail(ENOSYS));
    });

    const numberOf = (name: string): number => numbers.get(name) ?? Number.NaN;
  });
}

test('a part of the profile that is not understood is an error', () => {
  const entry = { names: ['read'], action: 'SCMP_ACT_ALLOW' };
  const read = (changed: Partial<ProfileEntry>) => () =>
    readRules({ defaultErrnoRet: 1, syscalls: [{ ...entry, ...changed }] }, 'x64');
  expect(read({})).not.toThrow();
  expect(read({ action: 'SCMP_ACT_NOTIFY' })).toThrow('SCMP_ACT_NOTIFY');
  expect(read({ args: [{ index: 0, value: 1, op: 'SCMP_CMP_GE' }] })).toThrow('SCMP_CMP_GE');
});

function newest(numbers: ReadonlyMap<string, number>): number {
  const names = [...PROFILE.syscalls.flatMap((entry) => entry.names), ...OURS];
  return Math.max(...names.map((name) => numbers.get(name) ?? 0));
}

/** Arguments at and around each value that the entries compare with; and none. */
function samples(entries: readonly ProfileEntry[]): bigint[][] {
  const compared = entries.flatMap(({ args = [] }) => args);
  const around = compared.flatMap(({ index, value }) =>
    [BigInt(value), BigInt(value) + 1n, BigInt(value) | HIGH_BIT, BigInt(value) & -BigInt(value), 17n].map((sample) =>
      Array.from({ length: 6 }, (_, at) => (at === index ? sample : 0n)),
    ),
  );
  return [[], ...around];
}

/** The first entry that allows wins, then one with an errno of its own, then the default. */
function expectedOf(entries: readonly ProfileEntry[], args: readonly bigint[]): number {
  const holding = entries.filter((entry) => (entry.args ?? []).every((argument) => holds(argument, args)));
  if (holding.some(({ action }) => action === 'SCMP_ACT_ALLOW')) return ALLOW;
  return fail(holding.find(({ errnoRet }) => errnoRet !== undefined)?.errnoRet ?? PROFILE.defaultErrnoRet);
}

function holds({ index, op, value, valueTwo = 0 }: ProfileArgument, args: readonly bigint[]): boolean {
  const given = args[index] ?? 0n;
  return op === 'SCMP_CMP_EQ' ? given === BigInt(value) : (given & BigInt(value)) === BigInt(valueTwo);
}
