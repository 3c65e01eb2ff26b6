import { availableParallelism } from 'node:os';

/** Limits of one build, and of all builds together. */
export interface BuildLimits {
  /** Wall time of a whole build. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly processes: number;
  /** Maximum output of all commands of a build together, in bytes. */
  readonly outputBytes: number;
  /** Maximum size of the project and its caches, in bytes. */
  readonly diskBytes: number;
  /** Free disk space that a build requires; builds are refused below it. */
  readonly freeDiskBytes: number;
  /** Maximum size of all dependency and package caches together. The least recently used ones are removed first. */
  readonly cacheBytes: number;
}

/**
 * Returns the default limits. They allow a cold install and build of a large web project on one core, with no more
 * memory than the smallest sensible machine has. Commands may use every core, because they run at low priority.
 */
export function createDefaultBuildLimits(): BuildLimits {
  const cores = availableParallelism();
  return {
    timeoutMs: 10 * 60_000,
    memoryBytes: 2 * 2 ** 30,
    cpuMillis: cores * 1_000,
    processes: 512,
    outputBytes: 64 * 2 ** 20,
    diskBytes: 8 * 2 ** 30,
    freeDiskBytes: 2 ** 30,
    cacheBytes: 10 * 2 ** 30,
  };
}
