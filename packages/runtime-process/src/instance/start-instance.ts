import { runInBackground, type Timer } from '@berth/kit';
import type { Instance, InstanceExit, InstanceSpec } from '@berth/runtime';
import type { Launched } from '../launch/launch-spec.ts';
import { watchDisk } from '../launch/watch-disk.ts';
import { watchLimits } from '../launch/watch-limits.ts';
import { hasProcessTable } from '../process-table/read-processes.ts';
import { findListeners, portsOf } from './listening-ports.ts';
import type { InstanceParts, PreparedInstance } from './prepare-instance.ts';
import { translateStartError } from './translate-start-error.ts';

/** Options of {@link startInstance}. */
export interface StartOptions {
  readonly spec: InstanceSpec;
  readonly prepared: PreparedInstance;
  readonly parts: InstanceParts;
  readonly signal: AbortSignal | undefined;
}

/** An instance of the process runtime. */
export interface ProcessInstance extends Instance {
  /** Resolves after `exited`, when the instance's folder and port are free again. Never rejects. */
  readonly removed: Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/**
 * Starts a prepared instance.
 * @throws BerthError `start_failed` or `out_of_capacity`, or the signal's reason, after freeing everything.
 */
export async function startInstance(options: StartOptions): Promise<ProcessInstance> {
  const { spec, prepared, signal } = options;
  const launched = prepared.launch.start(spec.output);
  try {
    await waitUntilExecuted(launched, signal);
  } catch (error) {
    await prepared.release();
    throw signal?.aborted ? signal.reason : translateStartError(error);
  }
  const removed = launched.ended.then(() => prepared.release());
  if (!prepared.slot.isCopy) note(options, 'this project is too large to be copied: it runs from read-only files.');
  const unmounted = options.parts.confinement.isSandboxed ? [] : spec.mounts;
  for (const { source, target } of unmounted) {
    note(
      options,
      `this server has no sandbox to mount volumes in; the one for ${target} is at ${source} (BERTH_VOLUMES).`,
    );
  }
  watch(options, launched);
  return createInstance(options, launched, removed);
}

/** Waits until the program was executed. @throws the signal's reason, once all processes have ended. */
async function waitUntilExecuted(launched: Launched, signal: AbortSignal | undefined): Promise<void> {
  const abort = (): void => launched.kill();
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    await launched.executed;
    if (!signal?.aborted) return;
    await launched.ended;
    throw signal.reason;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** Writes a line of the platform to the service's output. */
function note({ spec, parts }: StartOptions, text: string): void {
  const line = new TextEncoder().encode(`berth: ${text}\n`);
  const writing = (async () => spec.output('stderr', line))();
  runInBackground('write a note to the output', writing, parts.logger);
}

function watch(options: StartOptions, launched: Launched): void {
  const { spec, prepared, parts } = options;
  const { confinement, maxProcesses, diskBytes, clock, logger } = parts;
  const { memory, processes } = confinement.cgroups;
  const limits = {
    memoryBytes: memory ? undefined : spec.memoryBytes,
    processes: processes ? undefined : maxProcesses,
  };
  watchLimits(launched, limits, (what) => note(options, CROSSED[what]), clock);
  const stopWatching = watchDisk({
    folders: [prepared.slot.folder],
    limitBytes: diskBytes + prepared.slot.sizeBytes,
    onCrossed() {
      const limit = Math.round(diskBytes / 2 ** 20);
      note(options, `this instance wrote more than ${limit} MiB to its own disk and was ended; keep data on a volume.`);
      launched.kill();
    },
    clock,
    logger,
  });
  void launched.ended.then(stopWatching);
  if (!confinement.networks.isIsolated) watchListeners(options, launched);
}

/** Services need only a few. A service that takes many ports of a shared network could receive other tenants' requests. */
const MAX_LISTENERS = 100;
const LISTENERS_POLL_MS = 1_000;

function watchListeners(options: StartOptions, launched: Launched): void {
  const { clock } = options.parts;
  let timer: Timer | undefined;
  const look = (): void => {
    if (findListeners(launched.pids()).length > MAX_LISTENERS) {
      note(options, `this instance listened on more than ${MAX_LISTENERS} ports and was ended.`);
      launched.kill();
    }
    timer = clock.setTimer(LISTENERS_POLL_MS, look);
  };
  timer = clock.setTimer(LISTENERS_POLL_MS, look);
  void launched.ended.then(() => timer?.cancel());
}

const CROSSED = {
  memory: 'this instance was over its memory limit and was ended.',
  processes: 'this instance had more processes than an instance may have and was ended.',
} as const;

function createInstance(
  { spec, prepared, parts }: StartOptions,
  launched: Launched,
  removed: Promise<void>,
): ProcessInstance {
  let isRequested = false;
  let isKilled = false;
  // SIGKILL before the end of the grace period came from somebody else, even while the instance was being stopped.
  const exited = launched.ended.then(
    (end): InstanceExit => ({ ...end, isRequested: isRequested && (isKilled || end.signal !== 'SIGKILL') }),
  );
  const listeners = () => findListeners(launched.pids());
  const instance: ProcessInstance = {
    instanceId: spec.instanceId,
    address: prepared.network.address,
    port: prepared.network.port,
    exited,
    removed,
    async stop({ graceMs = DEFAULT_GRACE_MS } = {}) {
      if (!isRequested) launched.terminate();
      isRequested = true;
      const timer = parts.clock.setTimer(graceMs, () => {
        isKilled = true;
        launched.kill();
      });
      const exit = await exited;
      timer.cancel();
      await removed;
      return exit;
    },
    stats: async () => ({ cpuMs: launched.cpuMs(), memoryBytes: launched.memoryBytes() }),
    listeningPorts: async () => portsOf(listeners()),
    ...(parts.confinement.networks.hasOwnAddresses
      ? {
          async loopbackPorts() {
            const all = listeners();
            const open = new Set(portsOf(all.filter(({ isLoopback }) => !isLoopback)));
            return portsOf(all).filter((port) => !open.has(port));
          },
        }
      : { isListening: async () => portsOf(listeners()).includes(prepared.network.port) }),
  };
  if (!hasProcessTable()) return instance;
  return {
    ...instance,
    suspend: async () => launched.freeze(),
    async resume() {
      if (await launched.thaw()) await exited;
    },
  };
}
