import { BerthError, backoffMs, createDeferred, createLimiter, runInBackground } from '@berth/kit';
import type { Instance, InstanceExit, InstanceStats } from '@berth/runtime';
import { engineStatus } from '../engine/engine-errors.ts';
import { type ContainerEnd, toExit } from './container-exit.ts';
import { findListeners } from './container-processes.ts';
import type { ImageSpec } from './plan-key.ts';
import type { ContainerParts, PreparedContainer } from './prepare-container.ts';
import { readStats } from './read-stats.ts';
import { signalChildren } from './signal-children.ts';

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
export interface DockerInstance extends Instance {
  readonly containerId: string;
  /** Resolves after `exited`, when the container was removed. Never rejects. */
  readonly removed: Promise<void>;
  /** Writes a line of the platform to the service's output. */
  note(text: string): void;
  /** Records that the memory limit killed one of its processes. */
  noteOutOfMemory(): void;
  /** Kills the container. Retries while the engine can't be reached. */
  kill(): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;
const KILL_RETRY_MS = 500;
const REMOVE_TRIES = 60;
const REMOVE_RETRY = { baseMs: 50, maxMs: 1_000 };

/** Creates the instance of a running container. */
export function createInstance({ spec, prepared, parts, pid, ended, host }: InstanceOptions): DockerInstance {
  const { engine, clock, logger } = parts;
  const { container } = prepared;
  let isRequested = false;
  let isKilled = false;
  let isSuspended = false;
  let hasEnded = false;
  let wasOutOfMemory = false;
  const told = createDeferred();

  const exited = ended.then(({ exitCode, isOutOfMemory }): InstanceExit => {
    hasEnded = true;
    const exit = toExit({ exitCode, isOutOfMemory: isOutOfMemory || wasOutOfMemory }, isRequested);
    // SIGKILL before the end of the grace period came from somebody else, even while the instance was being stopped.
    return exit.signal === 'SIGKILL' && !isKilled ? { ...exit, isRequested: false } : exit;
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
  /** Calls the engine and ignores the errors of a container that has ended meanwhile. */
  const unlessEnded = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await engine.call(work);
    } catch (error) {
      const status = engineStatus(error);
      if (status !== 404 && status !== 409 && status !== 304) throw error;
    }
  };
  const kill = async (): Promise<void> => {
    isKilled = true;
    // An engine that can't be reached now may come back with the container still running.
    for (; !hasEnded; await clock.sleep(KILL_RETRY_MS)) {
      const isTold = await unlessEnded(() => container.kill({ signal: 'SIGKILL' })).then(
        () => true,
        () => false,
      );
      if (isTold) return;
    }
  };
  /** Runs pause and unpause one after another, because an engine may reorder concurrent calls. */
  const freezing = createLimiter({ concurrency: 1 });
  const setFrozen = (isFrozen: boolean): Promise<void> =>
    freezing.run(async () => {
      if (isFrozen === isSuspended) return;
      await unlessEnded(() => (isFrozen ? container.pause() : container.unpause()));
      isSuspended = isFrozen;
    });
  const terminate = async (): Promise<void> => {
    // A frozen process receives signals only after it is thawed.
    await setFrozen(false);
    if (pid > 0) signalChildren(pid, parts.policy.hasInit);
    await unlessEnded(() => container.kill({ signal: 'SIGTERM' }));
  };
  const note = (text: string): void => {
    const line = new TextEncoder().encode(`berth: ${text}\n`);
    runInBackground('write a note to the output', (async () => spec.output('stderr', line))(), logger);
  };

  return {
    instanceId: spec.instanceId,
    containerId: container.id,
    address: { host, port: spec.port },
    port: spec.port,
    ...{ exited, removed, note, kill },
    noteOutOfMemory() {
      wasOutOfMemory = true;
      // The caller of the start reports the end of the whole instance, but nobody else reports the end of one process.
      void Promise.race([exited, clock.sleep(OOM_SETTLE_MS)]).then(() => {
        if (!hasEnded) note('one of its processes was ended: the instance was over its memory limit.');
      });
    },
    async stop({ graceMs = DEFAULT_GRACE_MS } = {}) {
      if (!isRequested && !hasEnded) {
        isRequested = true;
        // When the engine can't be reached, the kill below retries until it can.
        await terminate().catch((error: unknown) => {
          logger.warn({ container: container.id, error: String(error) }, 'a container could not be told to stop');
        });
        told.resolve();
      } else if (isRequested) await told.promise;
      const timer = clock.setTimer(graceMs, () => runInBackground('end a container', kill(), logger));
      const exit = await exited;
      timer.cancel();
      await removed;
      return exit;
    },
    stats: (): Promise<InstanceStats> => engine.call(() => readStats(container)),
    listeningPorts: async () => uniquePorts(pid > 0 ? findListeners(pid) : []),
    loopbackPorts: async () => {
      const all = pid > 0 ? findListeners(pid) : [];
      const open = new Set(uniquePorts(all.filter(({ isLoopback }) => !isLoopback)));
      return uniquePorts(all).filter((port) => !open.has(port));
    },
    suspend: () => setFrozen(true),
    resume: () => setFrozen(false),
  };
}

/** Time in which the container ends when the memory limit killed its main process. */
const OOM_SETTLE_MS = 500;

function uniquePorts(sockets: readonly { readonly port: number }[]): number[] {
  return [...new Set(sockets.map(({ port }) => port))].sort((a, b) => a - b);
}
