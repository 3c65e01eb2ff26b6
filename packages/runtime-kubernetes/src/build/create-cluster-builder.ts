import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ArchiveLimits, type Builder, DEFAULT_ARCHIVE_LIMITS, type SuppliedLibrary } from '@berth/builder';
import {
  type BaseImages,
  type BuildLimits,
  checkImage,
  createArchiveStore,
  createBuildProgress,
  createDefaultBuildLimits,
  createImageRule,
  DEFAULT_BASE_IMAGES,
  ensureFolder,
  formatBytes,
  OFFICIAL,
  prepareImageSource,
  pruneArchives,
  removeTree,
  translateDiskError,
} from '@berth/builder/image';
import { createError } from '@berth/contract';
import { BerthError, type Clock, createIdSource, describeError, type Logger } from '@berth/kit';
import type { Artifact, Owner } from '@berth/runtime';
import { enforced } from '@berth/runtime/drivers';
import type { Kube } from '../api/kube.ts';
import { openPodWatch } from '../api/pod-watch.ts';
import { openRegistry, REGISTRY_SECRET, type RegistryOptions } from '../api/registry.ts';
import { UNPRIVILEGED } from '../pod/pod-spec.ts';
import { deletePod } from '../run/create-instance.ts';
import { describeNetwork } from '../run/describe-capabilities.ts';
import { ensureBuildNamespace } from './build-namespace.ts';
import { BUILD_LABEL, type BuildPolicy } from './build-pod.ts';
import { createBuilderPods } from './builder-pods.ts';
import { runBuild } from './run-build.ts';

/** Options of {@link createClusterBuilder}. */
export interface ClusterBuilderOptions {
  readonly kube: Kube;
  readonly registry: RegistryOptions;
  readonly policy: Omit<BuildPolicy, 'pushSecret' | 'isPlain'>;
  /** Networks that builds can't reach, besides private ones. */
  readonly blockedRanges: readonly string[];
  /** Networks with registries and mirrors, which builds may reach although they are private. */
  readonly allowedRanges: readonly string[];
  readonly clock: Clock;
  readonly logger: Logger;
  /** Absolute path of the folder for received archives. */
  readonly archiveFolder: string;
  /** Absolute path of the folder for sources of running builds. `collect` empties it. */
  readonly workFolder: string;
  readonly limits?: Partial<BuildLimits>;
  readonly archiveLimits?: Partial<ArchiveLimits>;
  readonly images?: BaseImages;
  readonly allowedImages?: readonly string[];
  readonly buildArgs?: Readonly<Record<string, string>>;
  readonly bundle?: string | undefined;
  readonly library?: SuppliedLibrary | undefined;
  /** Platform of the nodes, such as `linux/amd64`. */
  readonly platform: string;
}

/**
 * Builds images in Pods of their own, and pushes them to a registry, from which all nodes pull.
 * @throws BerthError `unavailable` when the registry does not answer or refuses the credentials; what the API server answers
 */
export async function createClusterBuilder(options: ClusterBuilderOptions): Promise<Builder> {
  const { kube, clock, logger, buildArgs = {}, bundle, library, platform } = options;
  const workFolder = resolve(options.workFolder);
  const limits = { ...createDefaultBuildLimits(), ...options.limits };
  const archiveLimits = { ...DEFAULT_ARCHIVE_LIMITS, ...options.archiveLimits };
  const images = { ...DEFAULT_BASE_IMAGES, ...options.images };
  const isAllowed = createImageRule(options.allowedImages ?? [OFFICIAL], [
    ...Object.values(images),
    ...Object.values(buildArgs),
  ]);
  const ids = createIdSource(() => clock.nowMs());
  const archives = createArchiveStore(resolve(options.archiveFolder), ids);
  const building = new Set<string>();
  const registry = openRegistry(options.registry);
  await registry.check();
  const policy: BuildPolicy = {
    ...options.policy,
    isPlain: registry.isPlain,
    pushSecret: options.registry.credentials === undefined ? undefined : REGISTRY_SECRET,
  };
  await ensureBuildNamespace(kube, { ...options, policy });
  const selector = `${BUILD_LABEL}=${policy.platformId}`;
  const pods = await openPodWatch({ kube, selector, clock, logger });
  const builders = createBuilderPods({ kube, pods, policy, limits, ids, clock, logger });

  const repositoryOf = ({ account, deployment }: Owner) => `${account.toLowerCase()}/${deployment}`;
  const parse = (artifact: Artifact) => {
    const reference = artifact.kind === 'image' ? artifact.reference : '';
    const [name = '', digest] = reference.split('@');
    if (digest === undefined || !name.startsWith(`${registry.place}/`)) return undefined;
    return { repository: name.slice(registry.place.length + 1), digest };
  };

  const buildFrom = async (request: Parameters<Builder['build']>[0], folder: string, signal: AbortSignal) => {
    const { owner, revision, onLine } = request;
    const startMs = clock.monotonicMs();
    const say = async (line: string) => onLine(line, false);
    const source = await prepareImageSource(request.archive, {
      ...{ folder, limits: archiveLimits, images, isAllowed, buildArgs, bundle, library, signal, say, platform },
      ...{ nowMs: clock.nowMs(), account: owner.account },
    });
    const repository = repositoryOf(owner);
    const name = `${registry.place}/${repository}:${revision}`;
    const plan = {
      ...{ dockerfile: source.dockerfile, buildArgs: source.buildArgs, reference: name },
      timeoutSeconds: Math.ceil(limits.timeoutMs / 1_000),
    };
    const run = async () => {
      const pod = await builders.take(owner.account, signal);
      let isReusable = true;
      try {
        return await runBuild({
          ...{ kube, pod, policy, plan, source, say, signal, outputBytes: limits.outputBytes },
          progress: createBuildProgress(source.titles, onLine),
          memoryLimit: formatBytes(limits.memoryBytes),
        });
      } catch (error) {
        // After any other error a command may still run.
        isReusable = BerthError.is(error, 'build_failed');
        throw error;
      } finally {
        pod.release(isReusable);
      }
    };
    const digest = await run().catch(async (error: unknown) => {
      // The node, the Pod or the connection to the API server was lost, which is no fault of the project.
      if (!BerthError.is(error, 'unavailable')) throw error;
      await say(`${error.message} The build starts again.`);
      return run();
    });
    const config = await registry.readConfig(repository, digest);
    for (const hint of checkImage(config, request.port)) await say(hint);
    const user = toUser(config.User);
    if (user === undefined) await say(`The image's USER is not a number or is root: it runs as user ${UNPRIVILEGED}`);
    return {
      artifact: {
        ...{ kind: 'image' as const, reference: `${registry.place}/${repository}@${digest}`, name },
        ...(user && { user }),
        ...(source.release && { release: source.release }),
        ...(source.lateApplication && { lateApplication: source.lateApplication }),
        ...(source.isAgent && { isAgent: true as const }),
      },
      digest: source.digest,
      requiredEnv: source.requiredEnv,
      buildMs: Math.round(clock.monotonicMs() - startMs),
    };
  };

  return {
    artifactKind: 'image',
    receive: archives.receive,
    discard: archives.discard,
    hasArchive: archives.has,

    async build(request, { signal }) {
      if (signal.aborted) throw createError('cancelled', 'The build was canceled.');
      await ensureFolder(workFolder, 0o700, true);
      const folder = await mkdtemp(join(workFolder, 'build-'));
      building.add(folder);
      try {
        await mkdir(join(folder, 'unpacked'), { mode: 0o700 });
        return await buildFrom(request, folder, signal);
      } catch (error) {
        if (signal.aborted && !BerthError.is(error)) {
          throw createError('cancelled', 'The build was canceled.', { cause: error });
        }
        if (!BerthError.is(error, 'unavailable')) throw translateDiskError(error);
        throw createError('build_failed', `${error.message} Deploy again.`, { cause: error });
      } finally {
        building.delete(folder);
        await removeTree(folder);
      }
    },

    adopt: async () => {},

    async remove(artifact) {
      const found = parse(artifact);
      if (!found) return;
      const isGone = await registry.remove(found.repository, found.digest).catch((error: unknown) => {
        logger.warn({ image: found.repository, error: describeError(error) }, 'an image was left in the registry');
        return true;
      });
      if (!isGone) logger.info({ image: found.repository }, 'the registry does not allow deletions');
    },

    async collect(keep) {
      // Those that run may be of other servers; the others end at their deadline.
      for (const { metadata, status } of pods.list()) {
        const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed';
        if (hasEnded) await deletePod(kube, { namespace: policy.namespace, name: metadata?.name ?? '' }, 0);
      }
      for (const name of await readdir(workFolder).catch((): string[] => [])) {
        const path = join(workFolder, name);
        if (!building.has(path)) await removeTree(path);
      }
      await archives.collect(keep.archives);
    },

    async prune({ isDryRun, readNeeded }) {
      const { archives: keep } = await readNeeded();
      const caches = isDryRun ? builders.idleCount() : await builders.clear();
      return [
        await pruneArchives({ archives, keep, clock, isDryRun }),
        { what: 'caches', count: caches, sizeBytes: null },
      ];
    },

    async close() {
      await builders.close();
      await pods.close();
    },

    capabilities: async () => [
      ...(builders.isPolicyEnforced === undefined
        ? []
        : describeNetwork(builders.isPolicyEnforced ? 'enforced' : 'missing')),
      { id: 'builds', title: 'Builds', ...enforced(`In Pods of the cluster; images are pushed to ${registry.place}.`) },
    ],
  };
}

/** Returns the user of an image; undefined for root and for names, which only the image itself could resolve. */
function toUser(text = ''): { uid: number; gid: number } | undefined {
  const [, uid, gid] = /^(\d+)(?::(\d+))?$/.exec(text) ?? [];
  if (uid === undefined || Number(uid) === 0) return undefined;
  return { uid: Number(uid), gid: Number(gid ?? 0) || UNPRIVILEGED };
}
