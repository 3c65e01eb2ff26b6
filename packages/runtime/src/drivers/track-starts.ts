import type { Socket } from 'node:net';
import { createError } from '@berth/contract';
import { createLimiter, type InstanceId, type Logger, runInBackground } from '@berth/kit';
import type { ExecProcess, ExecSpec } from '../exec.ts';
import type { Instance, InstanceSpec, Owner, Runtime } from '../runtime.ts';
import { toConnection } from './connect.ts';

/** Connections that are made at once: most start a process for a moment. */
const DIALS_AT_ONCE = 4;

/** An instance of a driver. */
export interface RemovableInstance extends Instance {
  /** Resolves after `exited`, when nothing of the instance is left. Never rejects. */
  readonly removed: Promise<void>;
  /** As {@link Runtime.exec}. Absent where the runtime runs commands without the instance. */
  exec?(spec: ExecSpec): Promise<ExecProcess>;
  /** Connects to a port that it listens on. Absent where it has no network of its own. @throws BerthError `port_not_open` */
  dial?(port: number): Promise<Socket>;
}

/** Returns the `start` of a runtime, the instances that it started, and `close`. */
export function trackStarts<Kind extends RemovableInstance>(
  start: (spec: InstanceSpec, signal: AbortSignal | undefined) => Promise<Kind>,
  logger: Logger,
) {
  const running = new Set<Kind>();
  const owners = new WeakMap<Kind, Owner>();
  const starting = new Set<Promise<Kind>>();
  const dials = createLimiter({ concurrency: DIALS_AT_ONCE });
  let isClosed = false;
  const run = async (spec: InstanceSpec, signal: AbortSignal | undefined): Promise<Kind> => {
    signal?.throwIfAborted();
    const instance = await start(spec, signal);
    running.add(instance);
    owners.set(instance, spec.owner);
    runInBackground(
      'end of an instance',
      instance.removed.then(() => running.delete(instance)),
      logger,
    );
    return instance;
  };
  /** @throws BerthError `not_found` */
  const find = (owner: Owner, instanceId: InstanceId): Kind => {
    for (const instance of running) {
      const { account, deployment } = owners.get(instance) ?? {};
      const isOwned = account === owner.account && deployment === owner.deployment;
      if (isOwned && instance.instanceId === instanceId) return instance;
    }
    throw missing(owner, instanceId);
  };
  return {
    /** Instances that aren't removed yet. */
    running: running as ReadonlySet<Kind>,
    exec: (async (owner, instanceId, spec) => {
      const { exec } = find(owner, instanceId);
      if (!exec) throw missing(owner, instanceId);
      return exec(spec);
    }) satisfies Runtime['exec'],
    connect: (async (owner, instanceId, { port, ...spec }) => {
      const instance = find(owner, instanceId);
      const { dial } = instance;
      if (!dial) {
        const way = 'Install what `berth doctor` names for network isolation.';
        throw createError(
          'not_available',
          `Instances of this server share its network, so their ports can't be told apart. ${way}`,
        );
      }
      if (!(await instance.listeningPorts()).includes(port)) {
        throw createError('port_not_open', `Nothing in the instance listens on port ${port}.`);
      }
      const connection = toConnection(await dials.run(() => dial(port)), spec);
      // The kernel ends the program's direction alone.
      void instance.exited.then(connection.end);
      return connection;
    }) satisfies Runtime['connect'],
    start: ((spec, { signal } = {}) => {
      if (isClosed) return Promise.reject(createError('unavailable', 'Berth is shutting down.'));
      const work = run(spec, signal).finally(() => starting.delete(work));
      starting.add(work);
      return work;
    }) satisfies Runtime['start'],
    /** Refuses further starts, and resolves when those under way have settled. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.allSettled(starting);
    },
  };
}

function missing({ deployment }: Owner, instanceId: InstanceId): Error {
  return createError('not_found', `No instance ${instanceId} of "${deployment}" runs here.`);
}
