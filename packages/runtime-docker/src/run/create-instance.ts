import type { Socket } from 'node:net';
import { createError } from '@berth/contract';
import { BerthError, backoffMs, createLimiter, runInBackground } from '@berth/kit';
import { type InstanceStats, loopbackPortsOf, portsOf } from '@berth/runtime';
import {
  createStop,
  dialAddress,
  dialInNetwork,
  isDoomed,
  KILLED_WAIT_MS,
  type ProcessInfo,
  type RemovableInstance,
  readProcess,
  requireProgram,
  writeNote,
} from '@berth/runtime/drivers';
import type { Container } from 'dockerode';
import { ignoreStatus } from '../engine/engine-errors.ts';
import { findContainerFreezer } from './container-freezer.ts';
import { findContainerProcesses, findListeners, signalChildren } from './container-processes.ts';
import { execInContainer } from './exec-in-container.ts';
import type { ImageSpec } from './plan-key.ts';
import type { ContainerParts, PreparedContainer } from './prepare-container.ts';
import { type ContainerEnd, toExit } from './watch-container.ts';

/** Options of {@link createInstance}. */
export interface InstanceOptions {
  readonly spec: ImageSpec;
  readonly prepared: Pick<PreparedContainer, 'container' | 'discard'>;
  readonly parts: ContainerParts;
  /** The container's first process, in this machine's pid namespace; 0 when it has ended. */
  readonly pid: number;
  /** Resolves when the container has ended and all output was delivered. */
  readonly ended: Promise<ContainerEnd>;
  readonly host: string;
}

/** An instance of the Docker runtime. */
export interface DockerInstance extends RemovableInstance {
  readonly containerId: string;
  /** Writes a line of the platform to the service's output. */
  note(text: string): void;
  /** Records that the memory limit killed one of its processes. */
  noteOutOfMemory(): void;
  /** Kills the container. Retries while the engine can't be reached. */
  kill(): Promise<void>;
}

const KILL_RETRY_MS = 500;
const REMOVE_TRIES = 60;
const REMOVE_RETRY = { baseMs: 50, maxMs: 1_000 };
/** Time in which the container ends when the memory limit killed its main process. */
const OOM_SETTLE_MS = 500;

/** Creates the instance of a running container. */
export function createInstance({ spec, prepared, parts, pid, ended, host }: InstanceOptions): DockerInstance {
  const { engine, clock, logger } = parts;
  const { container } = prepared;
  const freezer = findContainerFreezer(pid, container.id, clock);
  let isSuspended: false | 'by us' | 'by the engine' = false;
  let hasEnded = false;
  let wasOutOfMemory = false;
  /** The processes that were frozen; none where they can't be read. */
  let frozen: readonly ProcessInfo[] = [];

  /** Calls the engine and ignores the errors of a container that has ended meanwhile. */
  const unlessEnded = (work: () => Promise<unknown>) => engine.call(work).catch(ignoreStatus(404, 409, 304));
  const kill = async (): Promise<void> => {
    // An engine that can't be reached now may come back with the container still running.
    for (; !hasEnded; await clock.sleep(KILL_RETRY_MS)) {
      const isTold = await unlessEnded(() => container.kill({ signal: 'SIGKILL' })).then(
        () => true,
        () => false,
      );
      // In control groups of version 1, a frozen process dies only when it is thawed.
      if (isSuspended === 'by us') freezer?.thaw();
      if (isTold) return;
    }
  };
  /** Freezes and thaws one after another, because an engine may reorder concurrent calls. */
  const freezing = createLimiter({ concurrency: 1 });
  const freeze = () =>
    freezing.run(async () => {
      if (isSuspended) return;
      const isDone = await freezer?.freeze();
      if (!isDone) await unlessEnded(() => container.pause());
      isSuspended = isDone ? 'by us' : 'by the engine';
    });
  const thaw = () =>
    freezing.run(async () => {
      if (isSuspended === 'by us') freezer?.thaw();
      else if (isSuspended) await unlessEnded(() => container.unpause());
      isSuspended = false;
    });
  const note = (text: string): void => writeNote(spec.output, text, logger);

  const { exited, stop } = createStop({
    ended: ended.then(({ exitCode, isOutOfMemory }) => {
      hasEnded = true;
      return toExit({ exitCode, isOutOfMemory: isOutOfMemory || wasOutOfMemory });
    }),
    async terminate() {
      if (hasEnded) return;
      try {
        // A frozen process receives signals only after it is thawed.
        await thaw();
        if (pid > 0) signalChildren(pid, parts.policy.hasInit);
        await unlessEnded(() => container.kill({ signal: 'SIGTERM' }));
      } catch (error) {
        // When the engine can't be reached, the kill after the grace period retries until it can.
        logger.warn({ container: container.id, error: String(error) }, 'a container could not be stopped');
      }
    },
    kill: () => runInBackground('end a container', kill(), logger),
    removed: () => removed,
    clock,
  });
  const removed = exited.then(async () => {
    for (let tries = 0; tries < REMOVE_TRIES; tries++) {
      try {
        return await prepared.discard();
      } catch (error) {
        if (!BerthError.is(error)) break;
        await clock.sleep(backoffMs(tries, REMOVE_RETRY));
      }
    }
    logger.warn({ container: container.id }, 'a container was left behind; the next start removes it');
  });

  const leader = readProcess(pid);
  const isSame = () => !hasEnded && leader !== undefined && readProcess(pid)?.startTicks === leader.startTicks;
  /** Enters the container's network where this process may. Otherwise only ports on the container's address are reached. */
  const dial = async (port: number): Promise<Socket> => {
    if (process.getuid?.() !== 0 || !isSame()) return dialAddress(host, port);
    const socket = await dialInNetwork([requireProgram('nsenter', 'util-linux'), `--net=/proc/${pid}/ns/net`], port);
    // Another process may have taken the number of one that ended meanwhile.
    if (isSame()) return socket;
    socket.destroy();
    throw createError('port_not_open', 'The instance has ended.');
  };
  return {
    instanceId: spec.instanceId,
    containerId: container.id,
    address: { host, port: spec.port },
    port: spec.port,
    ...{ exited, stop, removed, note, kill },
    noteOutOfMemory() {
      wasOutOfMemory = true;
      // The caller of the start reports the end of the whole instance, but no one else reports the end of one process.
      void Promise.race([exited, clock.sleep(OOM_SETTLE_MS)]).then(() => {
        if (!hasEnded) note('A process was killed because the instance exceeded its memory limit.');
      });
    },
    exec: (command) => execInContainer(container, spec.instanceId, command, parts),
    dial,
    stats: () => engine.call(() => readStats(container)),
    listeningPorts: async () => portsOf(findListeners(pid)),
    loopbackPorts: async () => loopbackPortsOf(findListeners(pid)),
    async suspend() {
      await freeze();
      const processes = findContainerProcesses(pid).flatMap((one) => readProcess(one) ?? []);
      frozen = processes.filter(({ state }) => state !== 'Z');
    },
    async resume() {
      const wasHit = hasEnded || frozen.some(isDoomed);
      await thaw();
      // A container that was killed ends only now: a request must not reach it before.
      if (wasHit) await Promise.race([exited, clock.sleep(KILLED_WAIT_MS)]);
    },
  };
}

/** The used part of an engine's statistics. Source: Docker Engine API 1.41, ContainerStats. */
interface EngineStats {
  readonly cpu_stats?: { readonly cpu_usage?: { readonly total_usage?: number } };
  readonly memory_stats?: { readonly usage?: number; readonly stats?: Readonly<Record<string, number>> };
}

/** Returns the CPU time of a container and its memory without inactive page cache, which the kernel can reclaim at once. */
async function readStats(container: Container): Promise<InstanceStats> {
  // Without one-shot the engine waits a second for another look, to tell a rate that no one asks for.
  const { cpu_stats, memory_stats } = (await container.stats({ stream: false, 'one-shot': true })) as EngineStats;
  const { usage = 0, stats = {} } = memory_stats ?? {};
  // Version 1 of control groups, and version 2.
  const cache = stats['total_inactive_file'] ?? stats['inactive_file'] ?? 0;
  return { cpuMs: (cpu_stats?.cpu_usage?.total_usage ?? 0) / 1e6, memoryBytes: Math.max(0, usage - cache) };
}
