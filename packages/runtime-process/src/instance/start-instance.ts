import type { Timer } from '@berth/kit';
import { loopbackPortsOf, portsOf } from '@berth/runtime';
import { createStop, dialInNetwork, hasProcessTable, type RemovableInstance, writeNote } from '@berth/runtime/drivers';
import type { Launched } from '../launch/launch-spec.ts';
import { watchDisk } from '../launch/watch-disk.ts';
import { watchLimits } from '../launch/watch-limits.ts';
import { execInInstance } from './exec-in-instance.ts';
import { findListeners } from './listening-ports.ts';
import type { HostSpec, InstanceParts, PreparedInstance } from './prepare-instance.ts';
import { translateStartError } from './translate-start-error.ts';

/** Options of {@link startInstance}. */
export interface StartOptions {
  readonly spec: HostSpec;
  readonly prepared: PreparedInstance;
  readonly parts: InstanceParts;
}

/**
 * Starts a prepared instance.
 * @throws BerthError `start_failed` or `out_of_capacity`, or the signal's reason, after freeing everything.
 */
export async function startInstance(options: StartOptions, signal?: AbortSignal): Promise<RemovableInstance> {
  const { spec, prepared, parts } = options;
  const launched = prepared.launch.start(spec.output);
  try {
    await waitUntilExecuted(launched, signal);
  } catch (error) {
    await prepared.release();
    throw signal?.aborted ? signal.reason : translateStartError(error);
  }
  const removed = launched.ended.then(() => prepared.release());
  const note = (text: string): void => writeNote(spec.output, text, parts.logger);
  if (!prepared.slot.isCopy) note('this project is too large to copy: it runs from read-only files.');
  const unmounted = parts.confinement.isSandboxed ? [] : spec.mounts;
  for (const { source, target } of unmounted) {
    note(`this server has no sandbox to mount volumes in; the one for ${target} is at ${source} (BERTH_VOLUMES).`);
  }
  watch(options, launched, note);
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

function watch({ spec, prepared, parts }: StartOptions, launched: Launched, note: (text: string) => void): void {
  const { confinement, maxProcesses, diskBytes, clock } = parts;
  const { memory, processes } = confinement.cgroups;
  const limits = {
    memoryBytes: memory ? undefined : spec.memoryBytes,
    processes: processes ? undefined : maxProcesses,
  };
  watchLimits(launched, limits, (what) => note(CROSSED[what]), clock);
  const stopWatching = watchDisk([prepared.slot.folder], diskBytes + prepared.slot.sizeBytes, parts, () => {
    const limit = Math.round(diskBytes / 2 ** 20);
    note(`this instance wrote more than ${limit} MiB to its own disk and was stopped; store data in a volume.`);
    launched.kill();
  });
  void launched.ended.then(stopWatching);
  if (confinement.networks.isIsolated) return;
  let timer: Timer | undefined;
  const look = (): void => {
    if (findListeners(launched.pids()).length > MAX_LISTENERS) {
      note(`this instance listened on more than ${MAX_LISTENERS} ports and was stopped.`);
      launched.kill();
    }
    timer = clock.setTimer(LISTENERS_POLL_MS, look);
  };
  timer = clock.setTimer(LISTENERS_POLL_MS, look);
  void launched.ended.then(() => timer?.cancel());
}

/** Services need only a few. A service that takes many ports of a shared network could receive other tenants' requests. */
const MAX_LISTENERS = 100;
const LISTENERS_POLL_MS = 1_000;

const CROSSED = {
  memory: 'this instance exceeded its memory limit and was killed.',
  processes: 'this instance exceeded its process limit and was killed.',
} as const;

function createInstance(
  { spec, prepared, parts }: StartOptions,
  launched: Launched,
  removed: Promise<void>,
): RemovableInstance {
  const { address, port } = prepared.network;
  const { ended, terminate, kill } = launched;
  const { exited, stop } = createStop({ ended, terminate, kill, removed: () => removed, clock: parts.clock });
  const listeners = () => findListeners(launched.pids());
  let commands = 0;
  return {
    instanceId: spec.instanceId,
    ...{ address, port, exited, stop, removed },
    exec: (command) =>
      execInInstance(
        { launch: prepared.launchSpec, launched, name: `${prepared.slot.name}-exec-${++commands}` },
        command,
        parts,
      ),
    ...(parts.confinement.networks.isIsolated && { dial: (port) => dialInNetwork(prepared.network.enter, port) }),
    stats: async () => ({ cpuMs: launched.cpuMs(), memoryBytes: launched.memoryBytes() }),
    listeningPorts: async () => portsOf(listeners()),
    ...(parts.confinement.networks.hasOwnAddresses
      ? { loopbackPorts: async () => loopbackPortsOf(listeners()) }
      : { isListening: async () => portsOf(listeners()).includes(port) }),
    ...(hasProcessTable() && {
      suspend: async () => launched.freeze(),
      async resume() {
        if (await launched.thaw()) await exited;
      },
    }),
  };
}
