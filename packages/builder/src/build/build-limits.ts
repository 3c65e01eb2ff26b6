import { availableParallelism } from 'node:os';

/** Bounds of one build, and of all builds together. */
export interface BuildLimits {
  /** Wall time of a whole build. */
  readonly timeoutMs: number;
  readonly memoryBytes: number;
  readonly cpuMillis: number;
  readonly processes: number;
  /** Bytes that all commands of a build may print. */
  readonly outputBytes: number;
  /** Bytes that the project and its caches may grow to. */
  readonly diskBytes: number;
  /** Builds are refused while the disk has less than this free. */
  readonly freeDiskBytes: number;
  /** All dependency and package caches together; the ones used longest ago go first. */
  readonly cacheBytes: number;
}

/**
 * Long enough for a cold install and build of a large web project on one core, and no more memory than the smallest
 * machine that is sensible for this has. Commands may use every core, because they run at low priority; one build on two
 * cores leaves the other to the services.
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
