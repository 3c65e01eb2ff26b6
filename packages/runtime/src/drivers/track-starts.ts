import { createError } from '@berth/contract';
import { type Logger, runInBackground } from '@berth/kit';
import type { Instance, InstanceSpec, Runtime } from '../runtime.ts';

/** An instance of a driver. */
export interface RemovableInstance extends Instance {
  /** Resolves after `exited`, when nothing of the instance is left. Never rejects. */
  readonly removed: Promise<void>;
}

/** Returns the `start` of a runtime, the instances that it started, and `close`. */
export function trackStarts<Kind extends RemovableInstance>(
  start: (spec: InstanceSpec, signal: AbortSignal | undefined) => Promise<Kind>,
  logger: Logger,
) {
  const running = new Set<Kind>();
  const starting = new Set<Promise<Kind>>();
  let isClosed = false;
  const run = async (spec: InstanceSpec, signal: AbortSignal | undefined): Promise<Kind> => {
    signal?.throwIfAborted();
    const instance = await start(spec, signal);
    running.add(instance);
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
