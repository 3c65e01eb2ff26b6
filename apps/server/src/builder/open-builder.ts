import { statfs } from 'node:fs/promises';
import {
  type Builder,
  createDefaultBuildLimits,
  createFolderBuilder,
  type LocalBuilder,
  type SuppliedLibrary,
  shareArchives,
  shareBuilder,
} from '@berth/builder';
import { parseMemory } from '@berth/contract';
import type { ObjectStore } from '@berth/object-store';
import type { Config } from '../config/read-config.ts';
import type { PartOptions } from '../context/part-options.ts';
import { workFolders } from '../data-folder/platform-folders.ts';
import type { Machine } from '../machine/machine.ts';
import { buildEnvironment } from './build-environment.ts';

/** Options of {@link openBuilder}. */
export type OpenBuilderOptions = Pick<Machine, 'builds' | 'workRoot'> &
  Pick<PartOptions, 'config' | 'environment' | 'clock' | 'logger'> & {
    readonly library: SuppliedLibrary;
    /** The store that all servers share; undefined on a platform of one server. */
    readonly objects: ObjectStore | undefined;
  };

/** Opens the builder whose artifacts the machine's runtime can start. */
export async function openBuilder(options: OpenBuilderOptions): Promise<Builder> {
  const { objects, clock, logger, builds } = options;
  if (builds.kind === 'cluster') {
    const local = await openCluster(options);
    return objects ? shareArchives({ local, objects, clock }) : local;
  }
  const local = await openLocalBuilder(options, builds);
  return objects ? shareBuilder({ local, objects, clock, logger }) : local;
}

async function openCluster(options: OpenBuilderOptions): Promise<Builder> {
  const { openClusterBuilder } = await import('./open-cluster-builder.ts');
  const { archives: archiveFolder } = workFolders(options.workRoot);
  return openClusterBuilder(options, { archiveFolder, library: options.library });
}

async function openLocalBuilder(
  options: OpenBuilderOptions,
  builds: Exclude<Machine['builds'], { kind: 'cluster' }>,
): Promise<LocalBuilder> {
  const { config, environment, workRoot, clock, logger, library } = options;
  const { archives: archiveFolder, artifacts: artifactFolder, cache: cacheFolder } = workFolders(workRoot);
  const cacheBytes = await cacheLimit(config, workRoot);
  const limits = { cacheBytes, timeoutMs: config.buildTimeoutSeconds * 1_000 };
  if (builds.kind === 'images') {
    // A large module that the process runtime doesn't need.
    const { openImageBuilder } = await import('./open-image-builder.ts');
    return openImageBuilder(options, builds, { archiveFolder, limits, library });
  }
  return createFolderBuilder({
    sandbox: builds.sandbox,
    clock,
    logger,
    archiveFolder,
    limits,
    artifactFolder,
    cacheFolder,
    library,
    env: buildEnvironment(environment),
  });
}

/** Caches must leave room for data that can't be rebuilt. */
const CACHE_DISK_RATIO = 0.1;

/** Returns the maximum bytes of all caches: the operator's setting, or the default, but at most a share of the disk. */
export async function cacheLimit(
  { cacheLimit: wanted }: Pick<Config, 'cacheLimit'>,
  workRoot: string,
): Promise<number> {
  if (wanted !== undefined) return parseMemory(wanted) ?? 0;
  const { cacheBytes } = createDefaultBuildLimits();
  const { blocks, bsize } = await statfs(workRoot);
  // Some file systems report 0 blocks.
  return blocks === 0 ? cacheBytes : Math.min(cacheBytes, Math.floor(blocks * bsize * CACHE_DISK_RATIO));
}
