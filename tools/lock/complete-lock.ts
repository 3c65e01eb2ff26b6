/** The part of a `package-lock.json` (version 3) that the check reads. */
export interface LockFile {
  readonly packages: Record<string, LockEntry>;
}

/** An entry of `package-lock.json`. */
export interface LockEntry {
  readonly version?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const SYSTEMS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];

/**
 * Adds an entry for each optional dependency that the lock file leaves out: the binaries of other platforms, where npm made the
 * file from a registry without them. `npm ci` refuses a lock file without them, and skips those for other machines.
 * @returns the added names, in order
 */
export function completeLock(lock: LockFile): string[] {
  const added: string[] = [];
  for (const [place, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      const nested = `${place}/node_modules/${name}`;
      const hoisted = `node_modules/${name}`;
      if (lock.packages[nested] || lock.packages[hoisted]) continue;
      const platform = platformOf(name);
      if (!platform) continue;
      lock.packages[hoisted] = {
        version,
        ...platform,
        ...(entry.dev ? { dev: true } : {}),
        optional: true,
      };
      added.push(name);
    }
  }
  const sorted = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  for (const [place, entry] of sorted) {
    delete lock.packages[place];
    lock.packages[place] = entry;
  }
  return added;
}

/** Parses the platform from a binary package's name, e.g. `cli-linux-x64-musl`; undefined for other names. */
export function platformOf(name: string): Pick<LockEntry, 'os' | 'cpu' | 'libc'> | undefined {
  const words = (name.split('/').at(-1) ?? '').split('-');
  if (words.includes('wasm32')) return { cpu: ['wasm32'] };
  const at = words.findIndex((word) => SYSTEMS.includes(word));
  const os = words[at];
  const cpu = words[at + 1];
  if (os === undefined || cpu === undefined) return undefined;
  const libc = words[at + 2]?.startsWith('musl') ? 'musl' : words[at + 2]?.startsWith('gnu') ? 'glibc' : undefined;
  return { os: [os], cpu: [cpu], ...(libc ? { libc: [libc] } : {}) };
}
