import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/**
 * The controlling ends of all open terminals. The kernel passes them on to every program that this process spawns, because node-pty doesn't
 * mark them otherwise, and a program that has one reads and writes the terminal.
 */
export const terminalDescriptors: Set<number> = new Set();

/** `O_CLOEXEC` of Linux, as shown in `/proc/self/fdinfo` (proc_pid_fdinfo(5)). */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Returns the descriptors after the standard three that this process inherited. Every program it spawns would inherit them too, because
 * Node sets close-on-exec only for the descriptors that it opens.
 */
export function findInheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fdinfo').map(Number).filter(isInherited);
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8');
    const flags = Number.parseInt(/^flags:\s*(\d+)/m.exec(info)?.[1] ?? '', 8);
    return descriptor > 2 && (flags & CLOSE_ON_EXEC) === 0;
  } catch {
    // The descriptor of the directory listing is closed by now.
    return false;
  }
}

type Stdio = readonly (number | 'pipe' | 'ignore')[];

/** `spawn` of `node:child_process` with fewer options. */
export type Spawn = (
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> & { readonly stdio: Stdio },
) => ChildProcess;

/** Returns a `spawn` whose programs inherit only the descriptors in `stdio`. */
export function createSpawn(inherited: readonly number[] = findInheritedDescriptors()): Spawn {
  return (program, args, options) => {
    const uncovered = [...inherited, ...terminalDescriptors].filter((descriptor) => descriptor >= options.stdio.length);
    if (uncovered.length === 0) return spawn(program, args, { ...options, stdio: [...options.stdio] });
    const nothing = openSync('/dev/null', 'r+');
    try {
      return spawn(program, args, { ...options, stdio: coverDescriptors(options.stdio, uncovered, nothing) });
    } finally {
      closeSync(nothing);
    }
  };
}

/** Returns `stdio` with each of `descriptors` redirected to `nothing`. */
function coverDescriptors(
  stdio: Stdio,
  descriptors: readonly number[],
  nothing: number,
): (number | 'pipe' | 'ignore')[] {
  // After the third descriptor, 'ignore' leaves a descriptor unchanged.
  const covered = Array.from({ length: Math.max(...descriptors) + 1 }, (_, index) => stdio[index] ?? 'ignore');
  for (const descriptor of descriptors) covered[descriptor] = nothing;
  return covered;
}

/**
 * Runs synchronous `work` under another umask(2) and returns its result. A program inherits the umask of the process that spawns it, and
 * `spawn` has no option for it.
 */
export function withFileMask<Value>(mask: number, work: () => Value): Value {
  const before = process.umask(mask);
  try {
    return work();
  } finally {
    process.umask(before);
  }
}
