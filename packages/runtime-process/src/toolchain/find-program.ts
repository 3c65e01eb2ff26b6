import { realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Clock, createSingleFlight } from '@berth/kit';
import { isExecutable } from '../host/find-executable.ts';

export interface ProgramFinderOptions {
  readonly programFolders: readonly string[];
  readonly isVisible: (path: string) => boolean;
  /** Runs it as a tenant's command would be; the exit code, or null when a signal or the time limit ended it. */
  readonly run: (argv: readonly string[]) => Promise<number | null>;
  readonly clock: Clock;
}

export type ProgramFinder = (name: string) => Promise<string | undefined>;

/** How long it is remembered that there is no such program: somebody may be installing it. */
const MISSING_MS = 30_000;

/**
 * Finds programs that tenants can really run: on a machine of root, what PATH finds first may lie in root's home, or be a
 * shim that asks a folder there. Each candidate is run once, with `--version`.
 */
export function createProgramFinder({ programFolders, isVisible, run, clock }: ProgramFinderOptions): ProgramFinder {
  const found = new Map<string, string>();
  const missingUntil = new Map<string, number>();
  const flights = createSingleFlight<string | undefined>();

  const search = async (name: string): Promise<string | undefined> => {
    for (const folder of programFolders) {
      const path = join(folder, name);
      if (!isExecutable(path) || !isVisible(resolveLinks(path))) continue;
      if (isRunning(await run([path, ...versionArguments(name)]))) {
        found.set(name, path);
        return path;
      }
    }
    missingUntil.set(name, clock.monotonicMs() + MISSING_MS);
    return undefined;
  };

  return async (name) => {
    if (name !== basename(name) || name === '') return undefined;
    const known = found.get(name);
    if (known !== undefined && isExecutable(known)) return known;
    if ((missingUntil.get(name) ?? 0) > clock.monotonicMs()) return undefined;
    return flights.run(name, () => search(name));
  };
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
