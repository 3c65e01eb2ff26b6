import { CONTAINER_MOUNTS, createError } from '@berth/contract';
import { runInBackground } from '@berth/kit';
import { createStandbys, type InstanceSpec, type Runtime } from '@berth/runtime';
import { DEFAULT_GRACE_MS, trackStarts, waitAtMost } from '@berth/runtime/drivers';
import { toHostMount } from '@berth/runtime/files';
import type { EngineContext } from '../engine/open-engine.ts';
import type { ContainerNetworks } from '../network/networks.ts';
import type { DockerInstance } from './create-instance.ts';
import { describeCapabilities } from './describe-capabilities.ts';
import { createImages } from './image-facts.ts';
import { openMountPins } from './mount-pins.ts';
import { type ImageSpec, planDigest, planKey } from './plan-key.ts';
import {
  type ContainerParts,
  type PreparedContainer,
  type PreparedPlan,
  prepareContainer,
} from './prepare-container.ts';
import { adoptContainer, nameContainer, startContainer } from './start-container.ts';
import { findSurvivors, reapEndedContainers } from './survivors.ts';
import { holdsDiskQuota, watchDisk } from './watch-disk.ts';
import { watchEngine } from './watch-engine.ts';

/** Options of {@link createDockerRuntime}. */
export interface DockerRuntimeOptions extends EngineContext {
  readonly networks: ContainerNetworks;
  /**
   * Returns the group of an account's volumes, which no other account's programs are in. It must never change for an account.
   * A server that isn't root returns its own group.
   */
  groupOf(account: string): Promise<number>;
  /** Absolute path of the folder of all volumes, as this server and the engine see it. */
  readonly volumesFolder: string;
  /** A folder of this server in which volumes are mounted while a container starts; created when missing. */
  readonly pinFolder: string;
  /** Lets images run as root in their container. Default false. */
  readonly isRootAllowed?: boolean;
  /** Makes the root file system of containers read-only. Default false. */
  readonly isRootReadOnly?: boolean;
  /** An OCI runtime that the engine knows, such as `runsc`. */
  readonly ociRuntime?: string | undefined;
  /** Maximum processes and threads of an instance. Default 1,024. */
  readonly maxProcesses?: number;
  /** Maximum bytes that an instance may write beside its image. Default 1 GiB. */
  readonly diskBytes?: number;
  /** Delay between a start and the preparation of the image's next one. Default 2 s. */
  readonly standbyDelayMs?: number;
}

/** Maximum wait, after the grace period, for killed containers to be removed. */
const CLOSE_GIVE_UP_MS = 15_000;

/**
 * Creates the runtime that starts services as containers of a Docker engine. Running containers of an earlier server with the same id are
 * adopted by starts with the same plan; its other containers are removed.
 * @throws BerthError `invalid` when the engine doesn't have the OCI runtime; `unavailable` when the engine can't be reached.
 */
export async function createDockerRuntime(options: DockerRuntimeOptions): Promise<Runtime> {
  const { engine, networks, serverId, isRootAllowed = false, ociRuntime, diskBytes = 2 ** 30, clock, logger } = options;
  if (ociRuntime !== undefined && !engine.facts.ociRuntimes.includes(ociRuntime)) {
    const known = engine.facts.ociRuntimes.join(', ');
    throw createError('invalid', `The engine has no OCI runtime "${ociRuntime}"; it has ${known}.`);
  }
  const context: EngineContext = { engine, serverId, clock, logger };
  const survivors = await findSurvivors(context);
  const hasDiskQuota = holdsDiskQuota(engine.facts);
  const parts: ContainerParts = {
    ...context,
    networks,
    images: createImages(engine, isRootAllowed),
    pins: await openMountPins(process.getuid?.() === 0 ? options.pinFolder : undefined),
    policy: {
      ...{ serverId, ociRuntime },
      maxProcesses: options.maxProcesses ?? 1_024,
      isRootReadOnly: options.isRootReadOnly ?? false,
      rootBytes: hasDiskQuota ? diskBytes : undefined,
      hasInit: engine.facts.hasInit,
    },
  };
  const standbys = createStandbys<PreparedPlan, PreparedContainer>({
    delayMs: options.standbyDelayMs ?? 2_000,
    ...{ clock, logger },
  });

  /** @throws BerthError `start_failed` for a revision that another runtime made. */
  const toImageSpec = async (spec: InstanceSpec): Promise<ImageSpec> => {
    const { artifact, mounts, owner } = spec;
    if (artifact.kind !== 'image') {
      throw createError(
        'start_failed',
        'This revision was built for the process runtime, but this server runs containers. Deploy again to build an image.',
      );
    }
    return {
      ...spec,
      artifact,
      mounts: mounts.map((mount) => toHostMount(options.volumesFolder, mount)),
      volumeGroup: mounts.length > 0 ? await options.groupOf(owner.account) : undefined,
    };
  };

  /** Adopts a container of an earlier server that has the same plan as this start, if there is one. */
  const adopt = async (spec: ImageSpec): Promise<DockerInstance | undefined> => {
    for (;;) {
      const container = survivors.take(planDigest(spec, parts.policy));
      if (!container) return undefined;
      try {
        return await adoptContainer(spec, container, parts);
      } catch (error) {
        logger.warn({ container: container.id, error: String(error) }, 'a container could not be taken over');
      }
    }
  };

  const starts = trackStarts(async (given, signal): Promise<DockerInstance> => {
    const spec = await toImageSpec(given);
    const key = planKey(spec);
    const isService = spec.command === undefined;
    const adopted = isService ? await adopt(spec) : undefined;
    const kept = adopted || !isService ? undefined : await standbys.take(spec.artifact.reference, key);
    const startAnew = async (): Promise<DockerInstance> => {
      signal?.throwIfAborted();
      return startContainer(spec, await prepareContainer(spec, parts), parts, signal);
    };
    // A standby may have lost its network meanwhile, so a failed start of it is retried with a new container.
    const instance =
      adopted ?? (kept ? await startContainer(spec, kept, parts, signal).catch(startAnew) : await startAnew());
    runInBackground('name a container', nameContainer(engine, spec, instance), logger);
    const plan = { artifact: spec.artifact.reference, owner: spec.owner, key };
    if (isService) standbys.plan(plan, () => prepareContainer(spec, parts));
    return instance;
  }, logger);

  const stopWatchingEngine = watchEngine(context, {
    onOutOfMemory(containerId) {
      for (const instance of starts.running) if (instance.containerId === containerId) instance.noteOutOfMemory();
    },
    onReturned() {
      runInBackground('look after the firewall', networks.ensureFirewall(), logger);
      runInBackground('remove leftover containers', reapEndedContainers(context), logger);
    },
  });
  const stopWatchingDisks = hasDiskQuota ? () => {} : watchDisk(starts.running, diskBytes, context);

  return {
    name: 'docker',
    canSuspend: true,
    mountPolicy: CONTAINER_MOUNTS,
    start: starts.start,
    exec: starts.exec,
    connect: starts.connect,
    capabilities: async () =>
      describeCapabilities({
        engine: engine.facts,
        firewallProblem: networks.firewallProblem,
        ...{ hasDiskQuota, isRootAllowed, ociRuntime },
      }),
    async forget({ account, deployment }) {
      await standbys.drop(({ owner }) => owner.account === account && owner.deployment === deployment);
    },
    async close({ graceMs = DEFAULT_GRACE_MS } = {}) {
      await starts.close();
      await survivors.close();
      // When the engine can't be reached, the next server removes the containers.
      const stopping = Promise.all([...starts.running].map((instance) => instance.stop({ graceMs })));
      await waitAtMost(stopping, graceMs + CLOSE_GIVE_UP_MS, clock);
      await standbys.close();
      stopWatchingEngine();
      stopWatchingDisks();
    },
  };
}
