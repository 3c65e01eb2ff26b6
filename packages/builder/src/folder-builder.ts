import { lstat, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createError } from '@berth/contract';
import {
  BerthError,
  type Clock,
  createIdSource,
  createLimiter,
  describeError,
  type Logger,
  runInBackground,
} from '@berth/kit';
import { createDiskMeter } from '@berth/kit/node';
import type { Capability, CommandSandbox, Owner } from '@berth/runtime';
import { type BuildLimits, createDefaultBuildLimits } from './build/build-limits.ts';
import { buildProject } from './build/build-project.ts';
import { requireDiskSpace } from './build/disk-space.ts';
import type { SuppliedLibrary } from './build/supply-library.ts';
import { createCachePlace } from './cache/cache-places.ts';
import { createDependencyCache } from './cache/dependency-cache.ts';
import { noteHomeUse } from './cache/home-use.ts';
import { relocateScripts } from './cache/relocate-scripts.ts';
import { type TrimCachesOptions, trimCaches } from './cache/trim-caches.ts';
import { createFolderCopies, readChecksum } from './copies/folder-copies.ts';
import { type ArtifactPlace, createArtifactPlaces } from './files/artifact-places.ts';
import { translateDiskError } from './files/disk-error.ts';
import { ensureFolder } from './files/ensure-folder.ts';
import { removeTree } from './files/remove-tree.ts';
import { type ArchiveLimits, DEFAULT_ARCHIVE_LIMITS } from './intake/archive-limits.ts';
import { createArchiveStore } from './intake/archive-store.ts';
import { pruneArchives } from './intake/prune-archives.ts';
import { PROGRAMS } from './plan/programs.ts';
import type { BuildRequest, LocalBuilder, Pruned } from './port/builder.ts';

/** Options of {@link createFolderBuilder}. */
export interface FolderBuilderOptions {
  readonly sandbox: CommandSandbox;
  /**
   * Folder for received archives. This and the next two folders are absolute, created if missing, and ideally on one
   * file system.
   */
  readonly archiveFolder: string;
  /** Folder for artifacts: `<account>/<deployment>/<revision>`. */
  readonly artifactFolder: string;
  /** Folder for dependencies and package managers' caches of each deployment. May be deleted while no build runs. */
  readonly cacheFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Limits that differ from `createDefaultBuildLimits`. */
  readonly limits?: Partial<BuildLimits>;
  /** Limits that differ from `DEFAULT_ARCHIVE_LIMITS`. */
  readonly archiveLimits?: Partial<ArchiveLimits>;
  /**
   * Environment of every build: the operator's registries, proxies and certificates. Must not contain secrets, because
   * tenants can read it.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** A library that projects install from the platform, which builds can't reach. */
  readonly library?: SuppliedLibrary | undefined;
}

/**
 * Creates a {@link LocalBuilder} that makes folders for the process runtime. Invariants:
 * 1. A tenant's commands only ever run in the sandbox. Everything they can write to is sealed before the server copies
 *    or removes it.
 * 2. A build that fails, is canceled or is killed leaves nothing that a later build or a service sees: its folder is
 *    removed at once or, after a crash, by `collect`.
 * 3. Two owners share no folder.
 * 4. One build or fetch at a time works on a place.
 * 5. A cache is removed only while no build of its owner runs, and a new build waits until the removal is done.
 */
export function createFolderBuilder(options: FolderBuilderOptions): LocalBuilder {
  const { sandbox, clock, logger } = options;
  const artifactFolder = resolve(options.artifactFolder);
  const cacheFolder = resolve(options.cacheFolder);
  const limits = { ...createDefaultBuildLimits(), ...options.limits };
  const archiveLimits = { ...DEFAULT_ARCHIVE_LIMITS, ...options.archiveLimits };
  const archives = createArchiveStore(
    resolve(options.archiveFolder),
    createIdSource(() => clock.nowMs()),
  );
  const places = createArtifactPlaces(artifactFolder);
  const cache = createDependencyCache({ cacheFolder, sandbox, clock, logger });
  const context = {
    sandbox,
    clock,
    cache,
    cacheFolder,
    limits,
    archiveLimits,
    env: options.env ?? {},
    library: options.library,
  };
  /** Builds and fetches in progress, which `collect` and cache eviction must leave alone. */
  const building = new Set<ArtifactPlace>();
  /** One caller of each place at a time. */
  const turns = createLimiter({ concurrency: Number.POSITIVE_INFINITY, concurrencyPerKey: 1 });
  const occupy = <Value>(place: ArtifactPlace, work: () => Promise<Value>): Promise<Value> =>
    turns.run(
      async () => {
        building.add(place);
        try {
          return await work();
        } finally {
          building.delete(place);
        }
      },
      { key: place.path },
    );
  /** Serializes the removal of caches with the start of builds. */
  const takings = createLimiter({ concurrency: 1 });
  /** Serializes cache trimming and the search for unneeded artifacts. */
  const trims = createLimiter({ concurrency: 1 });

  const discardTree = async (path: string, owner: Owner) => {
    if ((await lstat(path).catch(() => undefined)) === undefined) return;
    await sandbox.seal(path, owner);
    await removeTree(path);
  };
  /** Removes a folder of `places.list`. The checksum goes first, so that what remains after a crash is no complete copy. */
  const discardListed = async (path: string, owner: Owner) => {
    await rm(places.checksumOf(path), { force: true });
    await discardTree(path, owner);
    await places.close({ project: path });
  };
  const clear = async (place: ArtifactPlace) => {
    await rm(place.checksum, { force: true });
    await discardTree(place.unpacked, place.owner);
    await discardTree(place.project, place.owner);
    await places.close(place);
  };
  const whenIdle: TrimCachesOptions['whenIdle'] = ({ account, deployment }, work) =>
    takings.run(async () => {
      const isBusy = [...building].some(
        ({ owner }) => owner.account === account && (deployment ?? owner.deployment) === owner.deployment,
      );
      if (!isBusy) await work();
      return !isBusy;
    });
  // The home counts toward the disk limit of a build, so a full home would leave no room for the build itself.
  const trimming = { cacheFolder, homeBytes: limits.diskBytes / 2, sandbox, whenIdle };
  const tidyCaches = (owner: Owner) =>
    trims.run(async () => {
      await noteHomeUse(createCachePlace(cacheFolder, owner), clock.nowMs());
      await trimCaches({ ...trimming, isEnough: (leftBytes) => leftBytes <= limits.cacheBytes });
    });
  /**
   * Frees disk space for a build by removing caches of others if needed. @throws BerthError `out_of_capacity` if that
   * isn't enough.
   */
  const requireRoom = async (onLine: BuildRequest['onLine']) => {
    const check = () => requireDiskSpace(artifactFolder, limits.freeDiskBytes);
    const hasRoom = () =>
      check()
        .then(() => true)
        .catch(() => false);
    if (await hasRoom()) return;
    const { count } = await trims.run(() => trimCaches({ ...trimming, isEnough: hasRoom }));
    if (count > 0) await onLine("The server's disk is nearly full: other build caches were removed", false);
    await check();
  };
  const pruneArtifacts = async (unneeded: Awaited<ReturnType<typeof places.list>>, isDryRun: boolean) => {
    const meter = createDiskMeter();
    for (const { owner, path } of unneeded) {
      await meter.add(path);
      if (!isDryRun) await discardListed(path, owner);
    }
    return { what: 'artifacts', count: unneeded.length, sizeBytes: meter.freeableBytes } satisfies Pruned;
  };

  return {
    artifactKind: 'folder',
    copies: createFolderCopies({ folder: artifactFolder, places, sandbox, occupy, clear, discardListed }),
    receive: archives.receive,
    discard: archives.discard,
    hasArchive: archives.has,

    async build(request, { signal }) {
      const { owner, onLine } = request;
      const place = places.placeOf(owner, request.revision);
      let hasRun = false;
      const run = async () => {
        if (signal.aborted) throw createError('cancelled', 'The build was canceled.');
        try {
          await ensureFolder(artifactFolder, 0o711, true);
          // Removals in progress end before this build looks for its caches.
          await takings.run(async () => {});
          await requireRoom(onLine);
          await clear(place);
          await places.open(place);
          const onCommands = () => {
            hasRun = true;
          };
          return await buildProject({ ...context, place, request, signal, onCommands });
        } catch (error) {
          // The build's own error matters more than a failed removal, which `collect` retries.
          await clear(place).catch((failure: unknown) =>
            logger.error({ ...owner, error: describeError(failure) }, 'a failed build could not be removed'),
          );
          if (signal.aborted && !BerthError.is(error)) {
            throw createError('cancelled', 'The build was canceled.', { cause: error });
          }
          throw translateDiskError(error);
        }
      };
      try {
        return await occupy(place, run);
      } finally {
        if (hasRun) runInBackground('tidy caches', tidyCaches(owner), logger);
      }
    },

    async adopt(artifact, formerFolder) {
      const place = places.find(artifact);
      const stats = place && (await lstat(place.project).catch(() => undefined));
      if (!place || !stats?.isDirectory()) throw createError('not_found', 'Its build result does not exist.');
      if (formerFolder !== undefined) {
        await relocateScripts(place.project, join(formerFolder, place.path), place.project);
      }
      await sandbox.seal(place.project, place.owner, { wasSealed: true });
    },

    async remove(artifact) {
      const place = places.find(artifact);
      if (!place) return;
      // The folder may be a copy of another build, which took over the deploy and whose services run from it.
      const { stored } = artifact;
      const isAnother = stored !== undefined && ((await readChecksum(place)) ?? stored.sha256) !== stored.sha256;
      if (!isAnother) await occupy(place, () => clear(place));
    },

    async collect(keep) {
      const kept = new Set(keep.artifacts.map((artifact) => places.find(artifact)?.project ?? ''));
      for (const { project, unpacked } of building) kept.add(project).add(unpacked);
      for (const { owner, path } of await places.list()) {
        if (!kept.has(path)) await discardListed(path, owner);
      }
      await archives.collect(keep.archives);
    },

    prune: ({ isDryRun, readNeeded }) =>
      trims.run(async () => {
        // The order matters: artifacts of later builds aren't in the list, and those of earlier builds are in a record
        // or belong to a running deploy.
        const found = await places.list();
        const { artifacts, archives: keep, deploying } = await readNeeded();
        const kept = new Set(artifacts.map((artifact) => places.find(artifact)?.project ?? ''));
        const working = [...deploying, ...[...building].map(({ owner }) => owner)];
        const unneeded = found.filter(
          ({ owner: { account, deployment }, path }) =>
            !kept.has(path) && !working.some((one) => one.account === account && one.deployment === deployment),
        );
        const removed = await pruneArtifacts(unneeded, isDryRun);
        const meter = createDiskMeter();
        const { count } = await trimCaches({ ...trimming, isEnough: () => false, meter, isDryRun });
        return [
          { what: 'caches', count, sizeBytes: meter.freeableBytes },
          removed,
          await pruneArchives({ archives, keep, clock, isDryRun }),
        ];
      }),

    capabilities: () => describeCapabilities(sandbox),
  };
}

/** Consequences of a missing program that builds can work around. */
const FALLBACKS: Readonly<Record<string, string>> = {
  pnpm: 'projects with a pnpm-lock.yaml fetch it with npx for each build',
  yarn: 'projects with a yarn.lock fetch it with npx for each build',
  bun: 'npm brings it into projects with a bun.lock',
  uv: 'Python projects are installed with venv and pip',
};

/** Reports which programs builds find on this machine, for `berth doctor`. */
function describeCapabilities(sandbox: CommandSandbox): Promise<readonly Capability[]> {
  return Promise.all(
    PROGRAMS.map(async ({ name, title, remedy }): Promise<Capability> => {
      const path = await sandbox.findProgram(name);
      const base = { id: `build-${name}`, title: `Builds with ${title.replace(/^The /, 'the ')}` };
      if (path !== undefined) return { ...base, status: 'enforced', detail: `${title} is at ${path}.` };
      const fallback = FALLBACKS[name];
      const detail = `${title} is not installed; ${fallback ?? 'projects that require it fail to build'}.`;
      return { ...base, status: fallback === undefined ? 'missing' : 'partial', detail, remedy };
    }),
  );
}
