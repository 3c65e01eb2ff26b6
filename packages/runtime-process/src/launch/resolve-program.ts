import { type Stats, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import type { Identity } from '../identity/identity.ts';

export type ResolvedProgram =
  | { readonly kind: 'found'; readonly path: string }
  /** A sentence without its full stop. */
  | { readonly kind: 'missing'; readonly problem: string };

export interface ResolveProgramOptions {
  readonly name: string;
  /** PATH of the program to be. */
  readonly programPath: string;
  readonly workingFolder: string;
  readonly identity: Identity | undefined;
}

/**
 * The absolute path of what execvp(3) would run for `name`: looked for before anything is spawned, so that a wrong
 * command is told as such. Symlinks stay: a Python environment is found by the path its interpreter was called by.
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
  if (forbidden !== undefined) return { kind: 'missing', problem: `${name} is there but not executable` };
  return { kind: 'missing', problem: `${name === '' ? 'The command' : name} was not found${isPath ? '' : ' in PATH'}` };
}

function mayExecute(stats: Stats, identity: Identity | undefined): boolean {
  if (!identity) return (stats.mode & 0o111) !== 0;
  const shift = stats.uid === identity.uid ? 6 : stats.gid === identity.gid ? 3 : 0;
  return ((stats.mode >> shift) & 1) === 1;
}
