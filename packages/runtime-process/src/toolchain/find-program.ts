import { realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Clock, createSingleFlight } from '@berth/kit';
import { isExecutable } from '../host/find-executable.ts';

/** The result of running a program once, to see what it is. */
export interface Trial {
  /** Null when a signal or the time limit ended it. */
  readonly exitCode: number | null;
  /** The beginning of what it printed. */
  readonly output: string;
}

export interface ProgramFinderOptions {
  readonly programFolders: readonly string[];
  readonly isVisible: (path: string) => boolean;
  /** Runs it as a tenant's command would be. */
  readonly run: (argv: readonly string[]) => Promise<Trial>;
  readonly clock: Clock;
}

export interface ProgramFinder {
  /** The path of a program. */
  findProgram(name: string): Promise<string | undefined>;
  /** The version it printed. */
  findVersion(name: string): Promise<string | undefined>;
}

interface FoundProgram {
  readonly path: string;
  readonly version: string | undefined;
  /** Of the file it leads to: another one is asked again. */
  readonly modifiedAtMs: number;
}

/** How long it is remembered that there is no such program: somebody may be installing it. */
const MISSING_MS = 30_000;

/**
 * Finds programs that tenants can really run: on a machine of root, what PATH finds first may lie in root's home, or be a
 * shim that asks a folder there. Each candidate is run once, with `--version`.
 */
export function createProgramFinder({ programFolders, isVisible, run, clock }: ProgramFinderOptions): ProgramFinder {
  const found = new Map<string, FoundProgram>();
  const missingUntil = new Map<string, number>();
  const flights = createSingleFlight<FoundProgram | undefined>();

  const search = async (name: string): Promise<FoundProgram | undefined> => {
    for (const folder of programFolders) {
      const path = join(folder, name);
      if (!isExecutable(path) || !isVisible(resolveLinks(path))) continue;
      const modifiedAtMs = modifiedMs(path);
      const { exitCode, output } = await run([path, ...versionArguments(name)]);
      if (!isRunning(exitCode)) continue;
      const program = { path, version: VERSION.exec(output)?.[0], modifiedAtMs };
      found.set(name, program);
      return program;
    }
    found.delete(name);
    missingUntil.set(name, clock.monotonicMs() + MISSING_MS);
    return undefined;
  };
  const find = async (name: string): Promise<FoundProgram | undefined> => {
    if (name !== basename(name) || name === '') return undefined;
    const known = found.get(name);
    if (known !== undefined && isExecutable(known.path) && known.modifiedAtMs === modifiedMs(known.path)) return known;
    if ((missingUntil.get(name) ?? 0) > clock.monotonicMs()) return undefined;
    return flights.run(name, () => search(name));
  };

  return {
    findProgram: async (name) => (await find(name))?.path,
    findVersion: async (name) => (await find(name))?.version,
  };
}

/** In what programs print of themselves: `go version go1.26.8 linux/amd64`, `Python 3.11.2`, `v24.1.0`. */
const VERSION = /\d+\.\d+(\.\d+)*/;

/** Of the file itself, not of a link to it; undefined can't be, since it was just found to be executable. */
function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Any other exit code is the program's own: it ran, it only does not know the option. */
function isRunning(exitCode: number | null): boolean {
  return exitCode !== null && exitCode !== 126 && exitCode !== 127;
}

function versionArguments(name: string): string[] {
  return name === 'go' ? ['version'] : ['--version'];
}

function resolveLinks(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
