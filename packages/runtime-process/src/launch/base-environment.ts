import { USER_NAME } from '../bubblewrap/passwd-files.ts';

/** Returns the default environment of every program: enough to find programs, a home and a place for temporary files. */
export function baseEnvironment(
  privateFolder: string,
  { programPath, isSandboxed }: { readonly programPath: string; readonly isSandboxed: boolean },
): Record<string, string> {
  return {
    PATH: programPath,
    HOME: `${privateFolder}/home`,
    // In a sandbox the private `tmp` is mounted as `/tmp`. As short as possible, because the path of a socket has at most 107 bytes (unix(7)).
    TMPDIR: isSandboxed ? '/tmp' : `${privateFolder}/tmp`,
    LANG: 'C.UTF-8',
    USER: USER_NAME,
  };
}

/** An environment split by the time at which its variables may be set. */
export interface SplitEnvironment {
  /** Variables that are harmless to any program. */
  readonly plain: Record<string, string>;
  /** Variables that control the C library and the dynamic linker of every program. They are set only after all privileges were dropped. */
  readonly unsafe: Record<string, string>;
}

/**
 * Variables that glibc (sysdeps/generic/unsecvars.h) and musl (ldso/dynlink.c) hide from set-uid programs. `TMPDIR` is left out, because
 * the programs that run before the tenant's make no temporary files.
 */
const UNSAFE_NAMES = new Set([
  'GCONV_PATH',
  'GETCONF_DIR',
  'GLIBC_TUNABLES',
  'HOSTALIASES',
  'LOCALDOMAIN',
  'LOCPATH',
  'MALLOC_TRACE',
  'NIS_PATH',
  'NLSPATH',
  'RESOLV_HOST_CONF',
  'RES_OPTIONS',
  'TZDIR',
]);

/**
 * Splits a tenant's environment. The programs that build the sandbox and drop privileges get only the plain part. With `LD_PRELOAD` in
 * their environment a tenant's code would run in them, as the server's user and outside of any sandbox.
 */
export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const isUnsafe = (name: string): boolean =>
    name.startsWith('LD_') || name.startsWith('DYLD_') || UNSAFE_NAMES.has(name);
  const { plain = [], unsafe = [] } = Object.groupBy(Object.entries(env), ([name]) =>
    isUnsafe(name) ? 'unsafe' : 'plain',
  );
  // Object.fromEntries, because an assignment would misinterpret a variable named `__proto__`.
  return { plain: Object.fromEntries(plain), unsafe: Object.fromEntries(unsafe) };
}
