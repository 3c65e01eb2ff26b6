/** An environment in two parts, by when it may be set. */
export interface SplitEnvironment {
  /** Harmless to any program. */
  readonly plain: Record<string, string>;
  /** Heeded by the C library and the dynamic linker of whatever runs: set only when all privileges are dropped. */
  readonly unsafe: Record<string, string>;
}

/**
 * What glibc itself hides from set-uid programs (sysdeps/generic/unsecvars.h), and musl (ldso/dynlink.c). `TMPDIR` is left out:
 * none of the programs before the tenant's makes temporary files.
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
 * Parts a tenant's environment. The programs that build the sandbox and drop privileges run with it before the tenant's
 * own does: with `LD_PRELOAD` among it, a tenant's code would run in them, as the server's user and outside of any sandbox.
 */
export function splitEnvironment(env: Readonly<Record<string, string>>): SplitEnvironment {
  const isUnsafe = (name: string): boolean =>
    name.startsWith('LD_') || name.startsWith('DYLD_') || UNSAFE_NAMES.has(name);
  const { plain = [], unsafe = [] } = Object.groupBy(Object.entries(env), ([name]) =>
    isUnsafe(name) ? 'unsafe' : 'plain',
  );
  // Not by assignment: `__proto__` is a name of a variable, too.
  return { plain: Object.fromEntries(plain), unsafe: Object.fromEntries(unsafe) };
}
