import { availableParallelism } from 'node:os';

/** Limits of Git's work on one repository. */
export interface GitLimits {
  /** Maximum size of a pack in bytes: of a push, a fetch, or a stored repository. */
  readonly packBytes: number;
  /** Time of one command of Git. */
  readonly commandMs: number;
  /** Time to fetch a commit from a remote. */
  readonly fetchMs: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  /** Maximum size of a repository's folder on disk, with what is made of it. */
  readonly diskBytes: number;
}

/** Returns the default limits. The command timeout is generous: to index 512 MiB takes about a minute on one core. */
export function createDefaultGitLimits(): GitLimits {
  return {
    packBytes: 512 * 2 ** 20,
    commandMs: 5 * 60_000,
    fetchMs: 5 * 60_000,
    memoryBytes: 2 ** 30,
    cpuMillis: availableParallelism() * 1_000,
    diskBytes: 4 * 2 ** 30,
  };
}
