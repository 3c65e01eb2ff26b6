import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createError } from '@berth/contract';
import type { Clock, Logger } from '@berth/kit';
import { type Artifact, createStandbys, type FolderArtifact, type Owner, type Runtime } from '@berth/runtime';
import { DEFAULT_GRACE_MS, hasProcessTable, trackStarts } from '@berth/runtime/drivers';
import { toHostMount } from '@berth/runtime/files';
import type { Confinement } from './confinement/confinement.ts';
import { isInside } from './host/is-inside.ts';
import type { Identity } from './identity/can-reach.ts';
import { canReach } from './identity/can-reach.ts';
import { createMounts } from './instance/mounts.ts';
import {
  type InstanceParts,
  type PreparedInstance,
  type PreparedPlan,
  planKey,
  prepareInstance,
  prepareStandby,
} from './instance/prepare-instance.ts';
import { createSlots } from './instance/slots.ts';
import { startInstance } from './instance/start-instance.ts';

/** Options of {@link createProcessRuntime}. */
export interface ProcessRuntimeOptions {
  readonly confinement: Confinement;
  /** Absolute path that the paths of artifacts are relative to. */
  readonly artifactFolder: string;
  /** Absolute path of the folder of all volumes. */
  readonly volumesFolder: string;
  /** Maximum processes and threads of an instance. Default 1,024. */
  readonly maxProcesses?: number;
  /** Maximum bytes that an instance may write, beside its code and in `/tmp`. Default 1 GiB. */
  readonly diskBytes?: number;
  /** An artifact larger than this, shared folders not counted, runs read-only instead of from a copy. Default 256 MiB. */
  readonly maxCopyBytes?: number;
  /** Delay between a start and the preparation of the artifact's next one. Default 2 s. */
  readonly standbyDelayMs?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Creates the runtime that starts services as processes of this machine. Closing it doesn't close its confinement. */
export async function createProcessRuntime(options: ProcessRuntimeOptions): Promise<Runtime> {
  const { confinement, maxCopyBytes = 256 * 2 ** 20, clock, logger } = options;
  const parts: InstanceParts = {
    confinement,
    slots: createSlots(confinement, maxCopyBytes),
    mounts: createMounts(confinement.isSandboxed, confinement.mountPolicy),
    maxProcesses: options.maxProcesses ?? 1_024,
    diskBytes: options.diskBytes ?? 2 ** 30,
    clock,
    logger,
  };
  const standbys = createStandbys<PreparedPlan, PreparedInstance>({
    delayMs: options.standbyDelayMs ?? 2_000,
    isThere: existsSync,
    ...{ clock, logger },
  });
  const starts = trackStarts(async (given, signal) => {
    confinement.wake();
    const spec = { ...given, mounts: given.mounts.map((mount) => toHostMount(options.volumesFolder, mount)) };
    const identity = await confinement.identityOf(spec.owner);
    const artifact = locateArtifact(spec.artifact, options, identity);
    const { command } = spec;
    const plan = { ...spec, artifact: command === undefined ? artifact : { ...artifact, command }, identity };
    const key = planKey(plan, parts);
    const kept = command === undefined ? await standbys.take(artifact.path, key) : undefined;
    const prepared = kept ?? (await prepareInstance(plan, parts));
    const instance = await startInstance({ spec, prepared, parts }, signal);
    if (command === undefined) {
      standbys.plan({ artifact: artifact.path, identity, key }, () => prepareStandby(plan, parts));
    }
    return instance;
  }, logger);

  return {
    name: 'process',
    canSuspend: hasProcessTable(),
    mountPolicy: confinement.mountPolicy,
    start: starts.start,
    exec: starts.exec,
    connect: starts.connect,
    capabilities: async () => confinement.capabilities(),
    async forget(owner: Owner) {
      const identity = await confinement.identityOf(owner);
      if (identity) await standbys.drop((standby) => standby.identity?.uid === identity.uid);
      await confinement.forget(owner);
    },
    async close({ graceMs = DEFAULT_GRACE_MS } = {}) {
      await starts.close();
      const stopping = [...starts.running].map((instance) => instance.stop({ graceMs }));
      await Promise.all([...stopping, standbys.close()]);
    },
  };
}

/**
 * Returns the artifact with an absolute path.
 * @throws BerthError `start_failed` when the artifact is an image, or its folder is out of bounds or out of reach.
 */
function locateArtifact(
  artifact: Artifact,
  { confinement, artifactFolder }: ProcessRuntimeOptions,
  identity: Identity | undefined,
): FolderArtifact {
  if (artifact.kind !== 'folder') {
    throw createError(
      'start_failed',
      'This revision is a container image, but this server runs processes. Deploy again, or start the server with --runtime docker.',
    );
  }
  const place = join(artifactFolder, artifact.path);
  if (!isInside(place, artifactFolder)) {
    throw createError('start_failed', `The revision's files are outside of ${artifactFolder}. Deploy again.`);
  }
  if (!confinement.isSandboxed && identity && !canReach(place, identity)) {
    throw createError(
      'start_failed',
      "The revision's files are in a folder that services can't reach without bubblewrap. Install bubblewrap on the server, or deploy again.",
    );
  }
  return { ...artifact, path: place };
}
