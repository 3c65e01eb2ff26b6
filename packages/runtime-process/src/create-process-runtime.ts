import { createError } from '@berth/contract';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import type { Artifact, FolderArtifact, Instance, InstanceSpec, Owner, Runtime } from '@berth/runtime';
import type { Confinement } from './confinement/confinement.ts';
import { canReach } from './identity/can-reach.ts';
import type { Identity } from './identity/identity.ts';
import { createMounts } from './instance/mounts.ts';
import { createPortPool, type PortRange } from './instance/port-pool.ts';
import { createSlots } from './instance/slots.ts';
import { type ProcessInstance, startInstance } from './instance/start-instance.ts';
import { hasProcessTable } from './process-table/read-processes.ts';

export interface ProcessRuntimeOptions {
  readonly confinement: Confinement;
  /** Folders that hold volumes; exist. */
  readonly dataFolders?: readonly string[];
  readonly portRange?: PortRange;
  /** Processes and threads of an instance. Default 1,024. */
  readonly maxProcesses?: number;
  /** What an instance may write beside its code and in `/tmp`. Default 1 GiB. */
  readonly diskBytes?: number;
  /** An artifact over this, shared folders not counted, is run read-only. Default 256 MiB. */
  readonly maxCopyBytes?: number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The runtime that starts services as processes of this machine. Closing it does not close its confinement. */
export async function createProcessRuntime(options: ProcessRuntimeOptions): Promise<Runtime> {
  const { confinement, clock, logger, portRange, maxProcesses = 1_024, diskBytes = 2 ** 30 } = options;
  const { dataFolders = [], maxCopyBytes = 256 * 2 ** 20 } = options;
  const slots = createSlots({ confinement, maxCopyBytes, clock, logger });
  const ports = createPortPool(portRange);
  const mounts = createMounts({
    isSandboxed: confinement.isSandboxed,
    dataFolders: [confinement.workRoot, ...dataFolders],
  });
  const instances = new Set<ProcessInstance>();
  const canSuspend = hasProcessTable();
  let isClosed = false;

  const start = async (spec: InstanceSpec, signal?: AbortSignal): Promise<Instance> => {
    signal?.throwIfAborted();
    if (isClosed) throw createError('unavailable', 'Berth is shutting down.');
    confinement.prepareLaunch();
    const identity = await confinement.identityOf(spec.owner);
    const artifact = checkArtifact(spec.artifact, confinement, identity);
    const slot = await slots.take(artifact, identity);
    try {
      const instance = await startInstance({
        ...{ spec, artifact, identity, slot, confinement, ports, mounts, slots },
        ...{ maxProcesses, diskBytes, canSuspend, signal, clock, logger },
      });
      instances.add(instance);
      runInBackground(
        'end of an instance',
        instance.removed.then(() => instances.delete(instance)),
        logger,
      );
      return instance;
    } catch (error) {
      await slots.discard(slot);
      throw error;
    }
  };
  const stopAll = async (graceMs: number | undefined): Promise<void> => {
    await Promise.all([...instances].map((instance) => instance.stop(graceMs === undefined ? {} : { graceMs })));
  };

  return {
    name: 'process',
    canSuspend,
    start: (spec, startOptions) => start(spec, startOptions?.signal),
    capabilities: async () => confinement.capabilities(),
    async forget(owner: Owner) {
      const identity = await confinement.identityOf(owner);
      if (identity) await slots.drop((_path, other) => other?.uid === identity.uid);
      await confinement.forget(owner);
    },
    async close({ graceMs } = {}) {
      isClosed = true;
      await stopAll(graceMs);
      await slots.close();
    },
  };
}

/** @throws BerthError `start_failed` */
function checkArtifact(artifact: Artifact, confinement: Confinement, identity: Identity | undefined): FolderArtifact {
  if (artifact.kind !== 'folder') {
    throw createError('start_failed', 'This revision is a container image; it takes the docker runtime to run it.');
  }
  if (!confinement.isSandboxed && identity && !canReach(artifact.path, identity)) {
    throw createError(
      'start_failed',
      "The revision's files are where no service can reach them without bubblewrap: install it on the server, or deploy anew.",
    );
  }
  return artifact;
}
