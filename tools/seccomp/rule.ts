/** An action of the kernel: `SECCOMP_RET_…` of seccomp(2). */
export const ALLOW = 0x7fff0000;
/** Action of a filter that kills the process. Source: linux/seccomp.h. */
export const KILL_PROCESS = 0x80000000;

/** The call fails with this error number. */
export function fail(errno: number): number {
  return 0x00050000 | errno;
}

/** Holds when the masked 64-bit argument equals `value`. */
export interface Condition {
  /** Index of the argument, 0–5. */
  readonly index: number;
  readonly mask: bigint;
  readonly value: bigint;
}

/** The rule of a system call: the action of the first case whose conditions all hold. */
export interface Rule {
  readonly cases: readonly { readonly when: readonly Condition[]; readonly action: number }[];
  readonly otherwise: number;
}

/** Architectures by Node's name. `audit` is the kernel's `AUDIT_ARCH_…`, `profile` the name in Docker's profile. */
export const ARCHITECTURES = {
  x64: { audit: 0xc000003e, profile: 'amd64' },
  arm64: { audit: 0xc00000b7, profile: 'arm64' },
} as const;

/** An architecture that filters are made for. */
export type Architecture = keyof typeof ARCHITECTURES;
