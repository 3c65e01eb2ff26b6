import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** `O_CLOEXEC` of Linux, as `/proc/self/fdinfo` writes it (proc_pid_fdinfo(5)). */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Descriptors that this process was started with besides the three usual ones, and that every program it spawns would
 * have, too: Node closes its own ones on exec, not those.
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
    // That of the listing itself.
    return false;
  }
}

type Stdio = readonly (number | 'pipe' | 'ignore')[];

/** What `spawn` of `node:child_process` does, with fewer ways to do it. */
export type Spawn = (
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, 'stdio'> & { readonly stdio: Stdio },
) => ChildProcess;

/** A `spawn` whose programs have the descriptors that they are given and no other one. */
export function createSpawn(inherited: readonly number[] = findInheritedDescriptors()): Spawn {
  return (program, args, options) => {
    const uncovered = inherited.filter((descriptor) => descriptor >= options.stdio.length);
    if (uncovered.length === 0) return spawn(program, args, { ...options, stdio: [...options.stdio] });
    const nothing = openSync('/dev/null', 'r+');
    try {
      return spawn(program, args, { ...options, stdio: coverDescriptors(options.stdio, uncovered, nothing) });
    } finally {
      closeSync(nothing);
    }
  };
}

/** Leads every one of `descriptors` to `nothing`. */
function coverDescriptors(
  stdio: Stdio,
  descriptors: readonly number[],
  nothing: number,
): (number | 'pipe' | 'ignore')[] {
  // 'ignore' past the third leaves a descriptor as it is.
  const covered = Array.from({ length: Math.max(...descriptors) + 1 }, (_, index) => stdio[index] ?? 'ignore');
  for (const descriptor of descriptors) covered[descriptor] = nothing;
  return covered;
}
