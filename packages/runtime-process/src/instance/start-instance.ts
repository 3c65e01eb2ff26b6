import { createError } from '@berth/contract';
import { type Clock, type Logger, runInBackground } from '@berth/kit';
import {
  expandCommand,
  type FolderArtifact,
  type Instance,
  type InstanceExit,
  type InstanceSpec,
} from '@berth/runtime';
import type { Confinement } from '../confinement/confinement.ts';
import type { Identity } from '../identity/identity.ts';
import { baseEnvironment } from '../launch/base-environment.ts';
import { type Launched, NotExecutedError } from '../launch/launch-spec.ts';
import { resolveProgram } from '../launch/resolve-program.ts';
import { watchDisk } from '../launch/watch-disk.ts';
import { watchLimits } from '../launch/watch-limits.ts';
import { findListeningPorts } from './listening-ports.ts';
import type { Mounts, PlacedMounts } from './mounts.ts';
import type { PortPool } from './port-pool.ts';
import type { Slot, Slots } from './slots.ts';

export interface StartOptions {
  readonly spec: InstanceSpec;
  readonly artifact: FolderArtifact;
  readonly identity: Identity | undefined;
  readonly slot: Slot;
  readonly confinement: Confinement;
  readonly ports: PortPool;
  readonly mounts: Mounts;
  readonly slots: Slots;
  readonly maxProcesses: number;
  readonly diskBytes: number;
  readonly canSuspend: boolean;
  readonly signal: AbortSignal | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface ProcessInstance extends Instance {
  /** Settles when its folder and port are given back, too. Never rejects. */
  readonly removed: Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;
/** Every instance is reached over the loopback interface, the only one that others on the network can't reach. */
const HOST = '127.0.0.1';

/**
 * Starts the program of an artifact in its slot.
 * @throws BerthError `start_failed` or `out_of_capacity`; nothing of it runs then, and the slot is still the caller's.
 */
export async function startInstance(options: StartOptions): Promise<ProcessInstance> {
  const { spec, identity, slot, confinement, ports, mounts, slots, signal, logger } = options;
  const port = await ports.take();
  let placed: PlacedMounts | undefined;
  let launched: Launched;
  try {
    placed = await mounts.place(spec.mounts, identity);
    launched = launchProgram(options, port, placed);
    await waitUntilExecuted(launched, signal);
  } catch (error) {
    await placed?.release();
    ports.release(port);
    throw translateStartError(error, signal);
  }
  const { release } = placed;
  const removed = launched.ended
    .then(async () => {
      await release();
      await slots.discard(slot);
    })
    .catch((error: unknown) => logger.warn({ folder: slot.folder, error: String(error) }, 'a folder was left behind'))
    // Last: as long as something of the instance is there, nobody else gets its port.
    .finally(() => ports.release(port));
  if (!slot.isCopy) note(options, 'this project is too large to be copied: it runs from read-only files.');
  watch(options, launched);
  return createInstance(options, launched, port, removed, confinement.cgroups.freezer || options.canSuspend);
}

function launchProgram(
  { spec, artifact, identity, slot, confinement, maxProcesses }: StartOptions,
  port: number,
  placed: PlacedMounts,
): Launched {
  const { programPath, isSandboxed } = confinement;
  const env: Record<string, string> = {
    ...baseEnvironment({ programPath, privateFolder: slot.folder, isSandboxed }),
    ...artifact.env,
    ...spec.env,
    PORT: String(port),
  };
  const [name = '', ...args] = expandCommand(artifact.command, env);
  const { workingFolder } = slot;
  const program = resolveProgram({ name, programPath: env['PATH'] ?? '', workingFolder, identity });
  if (program.kind === 'missing') throw createError('start_failed', `${program.problem}.`);
  return confinement.launch({
    name: slot.name,
    identity,
    argv: [program.path, ...args],
    workingFolder,
    env,
    privateFolder: slot.folder,
    binds: [{ source: artifact.path, target: artifact.path, isReadOnly: true }, ...placed.binds],
    verified: placed.verified,
    limits: {
      memoryBytes: spec.memoryBytes,
      cpuMillis: spec.cpuMillis,
      processes: maxProcesses,
      isLowPriority: false,
    },
    isSharing: spec.mounts.length > 0,
    output: spec.output,
  });
}

/** @throws the signal's reason, when all of the program is gone. */
async function waitUntilExecuted(launched: Launched, signal: AbortSignal | undefined): Promise<void> {
  const abort = (): void => launched.kill();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    await launched.executed;
    if (signal?.aborted) {
      await launched.ended;
      throw signal.reason;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

const NO_ROOM = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE', 'ENOSPC', 'EDQUOT']);

function translateStartError(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof NotExecutedError) {
    return createError('start_failed', `The program could not be executed: ${error.message}`, { cause: error });
  }
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && NO_ROOM.has(code)) {
    return createError('out_of_capacity', `This machine has no room for another instance (${code}).`, { cause: error });
  }
  if (code === 'E2BIG')
    return createError('start_failed', 'Its command and environment are too long.', { cause: error });
  return error;
}

/** A line of the platform's own in the output of the service. */
function note({ spec, logger }: StartOptions, text: string): void {
  const line = new TextEncoder().encode(`berth: ${text}\n`);
  runInBackground('write a note to the output', Promise.resolve(spec.output('stderr', line)), logger);
}

function watch(options: StartOptions, launched: Launched): void {
  const { spec, slot, confinement, maxProcesses, diskBytes, clock, logger } = options;
  const { memory, processes } = confinement.cgroups;
  const limits = {
    memoryBytes: memory ? undefined : spec.memoryBytes,
    processes: processes ? undefined : maxProcesses,
  };
  watchLimits(launched, limits, (what) => note(options, CROSSED[what]), clock);
  const stopWatching = watchDisk({
    folders: [slot.folder],
    limitBytes: diskBytes + slot.sizeBytes,
    onCrossed() {
      const limit = Math.round(diskBytes / 2 ** 20);
      note(options, `this instance wrote more than ${limit} MiB to its own disk and was ended; keep data on a volume.`);
      launched.kill();
    },
    clock,
    logger,
  });
  void launched.ended.then(stopWatching);
}

const CROSSED = {
  memory: 'this instance was over its memory limit and was ended.',
  processes: 'this instance had more processes than an instance may have and was ended.',
} as const;

function createInstance(
  { spec, clock }: StartOptions,
  launched: Launched,
  port: number,
  removed: Promise<void>,
  canSuspend: boolean,
): ProcessInstance {
  let isRequested = false;
  const exited = launched.ended.then((end): InstanceExit => ({ ...end, isRequested }));
  const instance: ProcessInstance = {
    instanceId: spec.instanceId,
    address: { host: HOST, port },
    exited,
    removed,
    async stop({ graceMs = DEFAULT_GRACE_MS } = {}) {
      if (!isRequested) launched.terminate();
      isRequested = true;
      const timer = clock.setTimer(graceMs, () => launched.kill());
      const exit = await exited;
      timer.cancel();
      await removed;
      return exit;
    },
    stats: async () => ({ cpuMs: launched.cpuMs(), memoryBytes: launched.memoryBytes() }),
    listeningPorts: async () => findListeningPorts(launched.pids()),
  };
  if (!canSuspend) return instance;
  return {
    ...instance,
    suspend: async () => launched.setFrozen(true),
    resume: async () => launched.setFrozen(false),
  };
}
