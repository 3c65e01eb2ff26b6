import { createError } from '@berth/contract';
import { type Logger, runInBackground } from '@berth/kit';
import type { ExecProcess, ExecSpec } from '../exec.ts';
import type { Instance, InstanceSpec, Owner, Runtime } from '../runtime.ts';

/** An instance of a driver. */
export interface RemovableInstance extends Instance {
  /** Resolves after `exited`, when nothing of the instance is left. Never rejects. */
  readonly removed: Promise<void>;
  /** As {@link Runtime.exec}. Absent where the runtime runs commands without the instance. */
  exec?(spec: ExecSpec): Promise<ExecProcess>;
}

/** Returns the `start` of a runtime, the instances that it started, and `close`. */
export function trackStarts<Kind extends RemovableInstance>(
  start: (spec: InstanceSpec, signal: AbortSignal | undefined) => Promise<Kind>,
  logger: Logger,
) {
  const running = new Set<Kind>();
  const owners = new WeakMap<Kind, Owner>();
  const starting = new Set<Promise<Kind>>();
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
  return {
    /** Instances that aren't removed yet. */
    running: running as ReadonlySet<Kind>,
    exec: (async (owner, instanceId, spec) => {
      for (const instance of running) {
        const { account, deployment } = owners.get(instance) ?? {};
        const isOwned = account === owner.account && deployment === owner.deployment;
        if (isOwned && instance.instanceId === instanceId && instance.exec) return instance.exec(spec);
      }
      throw createError('not_found', `No instance ${instanceId} of "${owner.deployment}" runs here.`);
    }) satisfies Runtime['exec'],
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
