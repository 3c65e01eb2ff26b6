import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BuildRequest, DEFAULT_ARCHIVE_LIMITS, type LocalBuilder, type Needed } from '@berth/builder';
import {
  checkImage,
  createArchiveStore,
  createBuildProgress,
  createDefaultBuildLimits,
  createImageRule,
  DEFAULT_BASE_IMAGES,
  ensureFolder,
  type ImageSource,
  OFFICIAL,
  ownWorkFolder,
  prepareImageSource,
  pruneArchives,
  removeTree,
  requireDiskSpace,
  translateDiskError,
} from '@berth/builder/image';
import { createError } from '@berth/contract';
import { BerthError, createIdSource, describeError } from '@berth/kit';
import type { Owner } from '@berth/runtime';
import { ignoreStatus } from '../engine/engine-errors.ts';
import { findImage } from '../engine/open-engine.ts';
import { UNPRIVILEGED } from '../run/container-user.ts';
import { checkBases } from './check-bases.ts';
import { describeBuilds } from './describe-builds.ts';
import type { ImageBuilderOptions } from './image-builder-options.ts';
import { createImageCopies } from './image-copies.ts';
import { createImageNames } from './image-names.ts';
import { isLayerLost, runBuild } from './run-build.ts';
import { createStageCache } from './stage-cache.ts';
import { untilEngineIsBack } from './until-engine-is-back.ts';

/** Share of the required free disk below which running builds are ended. */
const LOW_DISK_RATIO = 0.5;

/**
 * Creates a {@link LocalBuilder} that builds images on a container engine. Invariants:
 * 1. A tenant's code only runs in containers of the engine, in the account's build network, within limits.
 * 2. A build that fails, is canceled or is killed leaves no named image except cached stages for the deployment's next build, which are
 *    removed with the deployment.
 * 3. An image is removed by its own name, because equal builds of two deployments are one image with two names.
 */
export function createImageBuilder(options: ImageBuilderOptions): LocalBuilder {
  const { engine, networks, clock, logger, buildArgs = {}, bundle, library } = options;
  const workFolder = resolve(options.workFolder);
  const limits = { ...createDefaultBuildLimits(), ...options.limits };
  const archiveLimits = { ...DEFAULT_ARCHIVE_LIMITS, ...options.archiveLimits };
  const images = { ...DEFAULT_BASE_IMAGES, ...options.images };
  // An image that the operator names in a build argument, e.g. of a mirror, is allowed too.
  const isAllowed = createImageRule(options.allowedImages ?? [OFFICIAL], [
    ...Object.values(images),
    ...Object.values(buildArgs),
  ]);
  const names = createImageNames(options.serverId);
  const cache = createStageCache(engine, names);
  const archives = createArchiveStore(
    resolve(options.archiveFolder),
    createIdSource(() => clock.nowMs()),
  );
  /** Names and folders of running builds, which `collect` must not remove. */
  const building = new Set<string>();

  const removeImage = async (name: string) => {
    // 404: the image is gone. 409: a running container keeps the image, without its name.
    await engine.call((docker) => docker.getImage(name).remove({ force: true })).catch(ignoreStatus(404, 409));
  };
  const listNames = async () => {
    const all = await engine.call((docker) => docker.listImages());
    return all
      .flatMap(({ RepoTags }) => RepoTags ?? [])
      .flatMap((name) => {
        const parsed = names.parse(name);
        return parsed === undefined ? [] : [{ name, ...parsed }];
      });
  };
  const dropUnusedCache = async (owner: Owner) => {
    const left = await listNames();
    const isUsed = left.some((one) => one.kind === 'revision' && isSameOwner(one.owner, owner));
    if (!isUsed) await cache.drop((one) => isSameOwner(one, owner));
  };

  let knownFolder: string | undefined;
  /** Returns a folder on the disk that holds the images. */
  const engineFolder = async () => {
    if (knownFolder !== undefined) return knownFolder;
    const { DockerRootDir = '' } = (await engine.call((docker) => docker.info())) as { DockerRootDir?: string };
    // The folder of an engine in a virtual machine isn't visible here.
    const isHere = DockerRootDir !== '' && existsSync(DockerRootDir);
    knownFolder = isHere ? DockerRootDir : workFolder;
    return knownFolder;
  };
  const requireRoom = async (onLine: BuildRequest['onLine']) => {
    const folder = await engineFolder();
    try {
      await requireDiskSpace(folder, limits.freeDiskBytes);
    } catch (error) {
      if ((await cache.drop((owner) => !isBuilding(owner))) === 0) throw error;
      await onLine("The container engine's disk is nearly full: other build caches were removed", false);
      await requireDiskSpace(folder, limits.freeDiskBytes);
    }
    await requireDiskSpace(workFolder, limits.freeDiskBytes);
    return folder;
  };

  const buildImage = async (request: BuildRequest, source: ImageSource, deadlineMs: number, signal: AbortSignal) => {
    const { owner, onLine } = request;
    const folder = await requireRoom(onLine);
    const isDiskLow = () =>
      requireDiskSpace(folder, limits.freeDiskBytes * LOW_DISK_RATIO).then(
        () => false,
        () => true,
      );
    const progress = createBuildProgress(source.titles, onLine);
    try {
      const name = names.nameOf(owner, request.revision);
      const network = await networks.ensureForBuilds(owner.account);
      return await runBuild({
        ...{ engine, clock, logger, limits, network, name, source, progress, deadlineMs, signal, isDiskLow },
        checkBases: (until) =>
          checkBases(source.bases, { engine, isAllowed, say: (line) => onLine(line, false), signal: until }),
      });
    } finally {
      // A failure to keep stages only makes the next build slower. A source without a digest is a step on top of a finished image: it has
      // no stages of its own, and must not replace those of the image.
      if (source.digest !== '')
        await cache.keep(owner, progress.leftovers).catch((error: unknown) => {
          logger.warn({ ...owner, error: describeError(error) }, "a build's stages could not be cached");
        });
    }
  };

  const buildFrom = async (request: BuildRequest, folder: string, signal: AbortSignal) => {
    const { owner, onLine } = request;
    const startMs = clock.monotonicMs();
    const deadlineMs = startMs + limits.timeoutMs;
    const say = async (line: string) => onLine(line, false);
    const source = await prepareImageSource(request.archive, {
      ...{ folder, limits: archiveLimits, images, isAllowed, buildArgs, bundle, library, signal, say },
      ...{ nowMs: clock.nowMs(), account: owner.account, platform: engine.facts.platform },
    });
    let reference: string;
    try {
      reference = await buildImage(request, source, deadlineMs, signal);
    } catch (error) {
      if (!BerthError.is(error) || error.code !== 'unavailable' || signal.aborted) throw error;
      if (isLayerLost(error)) await say('The container engine removed a layer of this build: rebuilding');
      else {
        await say('The container engine stopped: waiting for it to rebuild');
        await untilEngineIsBack(options, signal, deadlineMs, error);
      }
      reference = await buildImage(request, source, deadlineMs, signal);
    }
    const { Config } = await engine.call((docker) => docker.getImage(reference).inspect());
    for (const hint of checkImage(Config, request.port)) await say(hint);
    // Dockerfiles that Berth generates already give the project to the unprivileged user.
    if (source.titles === undefined) {
      const build = (step: ImageSource) => buildImage(request, step, deadlineMs, signal);
      reference = await ownWorkFolder({ image: reference, uid: UNPRIVILEGED.uid, config: Config, build, say });
    }
    return {
      artifact: {
        ...{ kind: 'image' as const, reference, name: names.nameOf(owner, request.revision) },
        ...(source.release && { release: source.release }),
        ...(source.lateApplication && { lateApplication: source.lateApplication }),
        ...(source.isAgent && { isAgent: true as const }),
      },
      digest: source.digest,
      requiredEnv: source.requiredEnv,
      buildMs: Math.round(clock.monotonicMs() - startMs),
    };
  };

  /** Returns the size of all layers of the engine, which images share. */
  const layerBytes = async () => {
    const { LayersSize = 0 } = (await engine.call((docker) => docker.df())) as { LayersSize?: number };
    return LayersSize;
  };
  const isBuilding = (owner: Owner) => [...building].some((name) => isSameOwner(names.parse(name)?.owner, owner));
  /** Removes images that no revision uses, and cached stages of deployments without a running build. Returns the number of images. */
  const pruneImages = async (readNeeded: () => Promise<Needed>, isDryRun: boolean) => {
    const found = await listNames();
    const { artifacts, archives: keep, deploying } = await readNeeded();
    const kept = new Set(artifacts.map((artifact) => (artifact.kind === 'image' ? artifact.name : '')));
    const isWorking = (owner: Owner) => isBuilding(owner) || deploying.some((one) => isSameOwner(one, owner));
    const unneeded = found.filter(
      ({ name, kind, owner }) => !isWorking(owner) && (kind === 'cache' || !kept.has(name.replace(/^localhost\//, ''))),
    );
    if (!isDryRun) {
      for (const { name, kind } of unneeded) if (kind === 'revision') await removeImage(name);
      await cache.drop((owner) => unneeded.some((one) => isSameOwner(one.owner, owner)) && !isWorking(owner));
    }
    return { count: unneeded.length, keep };
  };

  return {
    artifactKind: 'image',
    copies: createImageCopies({ engine, listNames, removeImage, dropUnusedCache }),
    receive: archives.receive,
    discard: archives.discard,
    hasArchive: archives.has,

    async build(request, { signal }) {
      const { owner } = request;
      const name = names.nameOf(owner, request.revision);
      if (signal.aborted) throw createError('cancelled', 'The build was canceled.');
      await ensureFolder(workFolder, 0o700, true);
      const folder = await mkdtemp(join(workFolder, 'build-'));
      building.add(name).add(folder);
      try {
        await removeImage(name);
        await mkdir(join(folder, 'unpacked'), { mode: 0o700 });
        return await buildFrom(request, folder, signal);
      } catch (error) {
        // The build's error matters more than a failed removal, which `collect` retries.
        await removeImage(name).catch((failure: unknown) =>
          logger.error({ ...owner, error: describeError(failure) }, 'a failed build could not be removed'),
        );
        if (signal.aborted && !BerthError.is(error))
          throw createError('cancelled', 'The build was canceled.', { cause: error });
        throw toBuildError(translateDiskError(error));
      } finally {
        building.delete(name);
        building.delete(folder);
        await removeTree(folder);
      }
    },

    async adopt(artifact) {
      const isThere = artifact.kind === 'image' && (await findImage(engine, artifact.reference)) !== undefined;
      if (!isThere) throw createError('not_found', 'Its container image is not on this engine.');
    },

    async remove(artifact) {
      const parsed = artifact.kind === 'image' ? names.parse(artifact.name) : undefined;
      if (artifact.kind !== 'image' || parsed === undefined) return;
      await removeImage(artifact.name);
      await dropUnusedCache(parsed.owner);
    },

    async collect(keep) {
      const kept = new Set(keep.artifacts.map((artifact) => (artifact.kind === 'image' ? artifact.name : '')));
      const found = await listNames();
      for (const { name, kind, owner } of found) {
        const plain = name.replace(/^localhost\//, '');
        if (kind === 'revision' && !kept.has(plain) && !building.has(plain)) {
          await removeImage(name);
          await dropUnusedCache(owner);
        }
      }
      for (const name of await readdir(workFolder).catch((): string[] => [])) {
        const path = join(workFolder, name);
        if (!building.has(path)) await removeTree(path);
      }
      await archives.collect(keep.archives);
    },

    async prune({ isDryRun, readNeeded }) {
      const before = isDryRun ? 0 : await layerBytes();
      const { count, keep } = await pruneImages(readNeeded, isDryRun);
      const sizeBytes = isDryRun ? null : Math.max(0, before - (await layerBytes()));
      return [{ what: 'images', count, sizeBytes }, await pruneArchives({ archives, keep, clock, isDryRun })];
    },

    capabilities: async () => describeBuilds(engine, images, await engineFolder(), limits.freeDiskBytes),
  };
}

function isSameOwner(one: Owner | undefined, other: Owner): boolean {
  return one?.account === other.account && one.deployment === other.deployment;
}

/** Translates `unavailable` into `build_failed`, because a deploy can't fail with `unavailable`. */
function toBuildError(error: unknown): unknown {
  if (!BerthError.is(error) || error.code !== 'unavailable') return error;
  const text = isLayerLost(error) ? error.message : `${error.message} Deploy again once it runs.`;
  return createError('build_failed', text, { cause: error });
}
