import { realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Clock, createSingleFlight } from '@berth/kit';
import { isExecutable } from '@berth/runtime/drivers';

/** The result of a trial run of a program. */
export interface Trial {
  /** Null when a signal or the time limit ended the program. */
  readonly exitCode: number | null;
  /** The beginning of its output. */
  readonly output: string;
}

/** Options of {@link createProgramFinder}. */
export interface ProgramFinderOptions {
  readonly programFolders: readonly string[];
  readonly isVisible: (path: string) => boolean;
  /** Runs a program as a tenant's command would run. */
  readonly run: (argv: readonly string[]) => Promise<Trial>;
  readonly clock: Clock;
}

interface FoundProgram {
  readonly path: string;
  readonly version: string | undefined;
  /** Modification time of the file. A changed file is tried again. */
  readonly modifiedAtMs: number;
}

/** How long a missing program is remembered: it may be installed soon. */
const MISSING_MS = 30_000;

/**
 * Creates a finder that runs each candidate once, with `--version`, to make sure that tenants can run it. On a server that is root, the
 * first match in PATH may be in root's home, or a shim that needs a folder there.
 */
export function createProgramFinder({ programFolders, isVisible, run, clock }: ProgramFinderOptions) {
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
    /** Returns the absolute path of a program, or undefined. */
    findProgram: async (name: string) => (await find(name))?.path,
    /** Returns the version that a program prints, or undefined. */
    findVersion: async (name: string) => (await find(name))?.version,
  };
}

/** Matches the version in e.g. `go version go1.26.8 linux/amd64`, `Python 3.11.2`, `v24.1.0`. */
const VERSION = /\d+\.\d+(\.\d+)*/;

/** Returns the modification time of the file that `path` leads to; 0 when it has vanished. */
function modifiedMs(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** Returns whether the program ran. An exit code other than 126 and 127 is its own, even if it doesn't know the option. */
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
