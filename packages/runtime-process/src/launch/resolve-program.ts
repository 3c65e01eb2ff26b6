import { type Stats, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Identity } from '../identity/can-reach.ts';

/** The result of {@link resolveProgram}. */
export type ResolvedProgram =
  | { readonly kind: 'found'; readonly path: string }
  /** `problem` is a sentence without its final period. */
  | { readonly kind: 'missing'; readonly problem: string };

/** Options of {@link resolveProgram}. */
export interface ResolveProgramOptions {
  readonly name: string;
  /** PATH of the program. */
  readonly programPath: string;
  readonly workingFolder: string;
  readonly identity: Identity | undefined;
}

/**
 * Returns the absolute path of the program that execvp(3) would run for `name`. Resolving it before spawning gives a clear error for a wrong
 * command. Symlinks aren't resolved, because Python finds its environment by the path that its interpreter was called by.
 */
export function resolveProgram({ name, programPath, workingFolder, identity }: ResolveProgramOptions): ResolvedProgram {
  const isPath = name.includes('/');
  const folders = isPath ? [''] : programPath.split(delimiter).filter(Boolean);
  let forbidden: string | undefined;
  for (const folder of folders) {
    const path = isPath ? resolve(workingFolder, name) : join(resolve(workingFolder, folder), name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) continue;
    if (mayExecute(stats, identity)) return { kind: 'found', path };
    forbidden ??= path;
  }
  if (forbidden !== undefined) return { kind: 'missing', problem: `${name} is not executable` };
  return { kind: 'missing', problem: `${name === '' ? 'The command' : name} was not found${isPath ? '' : ' in PATH'}` };
}

function mayExecute(stats: Stats, identity: Identity | undefined): boolean {
  if (!identity) return (stats.mode & 0o111) !== 0;
  const shift = stats.uid === identity.uid ? 6 : stats.gid === identity.gid ? 3 : 0;
  return ((stats.mode >> shift) & 1) === 1;
}
