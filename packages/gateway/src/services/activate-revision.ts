import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { ActivateOptions, RevisionTarget } from '../port/gateway.ts';
import { drainMs } from './drain-ms.ts';
import { type PoolContext, RevisionPool } from './revision-pool.ts';
import type { Service } from './service.ts';

/**
 * Brings a revision up beside the one that serves and, when its instances are ready, gives it the route in one assignment; the old
 * one drains in the background, from when nobody sends anything new to it. Until then, and on any failure, the old one serves as if nothing had happened.
 *
 * @throws BerthError `start_failed`, `start_timeout`, `port_not_open`, `out_of_capacity` or `cancelled`.
 */
export async function activateRevision(
  context: PoolContext,
  service: Service,
  target: RevisionTarget,
  { signal, onProgress = () => {} }: ActivateOptions,
): Promise<void> {
  const cancel = new AbortController();
  const ended = AbortSignal.any([signal, cancel.signal]);
  const pool = new RevisionPool(context, target);
  const retire = () => {
    // What it started was never seen by a request: nothing to wait for.
    pool.retire('replaced', 0).then(() => service.pools.delete(pool));
  };
  if (ended.aborted) throw deployCancelled();
  ended.addEventListener('abort', retire, { once: true });
  service.activations.add(cancel);
  service.pools.add(pool);
  try {
    await startInstances(context, pool, service.current?.fleet.ready.length ?? 0, onProgress, ended);
    if (ended.aborted) throw deployCancelled();
    if (pool.fleet.ready.length === 0) {
      throw createError('start_failed', 'The service ended right after it had begun to listen.');
    }
  } catch (error) {
    retire();
    throw ended.aborted ? deployCancelled() : error;
  } finally {
    service.activations.delete(cancel);
    ended.removeEventListener('abort', retire);
  }

  const previous = service.current;
  service.current = pool;
  pool.onRoute();
  const told = context.holders?.onRoute(service);
  previous?.moveQueueTo(pool);
  if (told !== undefined) await told;
  if (previous === null) return;
  previous.retire('replaced', drainMs(previous.target, context.policy)).then(() => service.pools.delete(previous));
}

/**
 * Starts as many as the old revision has ready or the new one keeps, or as fit now, but one at least; all that found room must become
 * ready.
 */
async function startInstances(
  context: PoolContext,
  pool: RevisionPool,
  readyBefore: number,
  tell: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { target } = pool;
  const told = new Set<string>();
  // Instances of one revision have the same to say.
  const onProgress = (message: string) => {
    if (!told.has(message)) tell(message);
    told.add(message);
  };
  const most = target.maxInstances === 0 ? Number.POSITIVE_INFINITY : target.maxInstances;
  const wanted = Math.max(readyBefore, target.minInstances);
  const count = Math.max(1, Math.min(wanted, context.host.fits(target), most));
  onProgress(
    count === 1
      ? 'Starting an instance and waiting for its port'
      : `Starting ${count} instances and waiting for their ports`,
  );
  if (count < target.minInstances) {
    onProgress(`${target.minInstances} instances are to be kept; the others start when there is room for them`);
  }
  const noCapacity: BerthError[] = [];
  // With the first that fails the deploy has failed: the others must not try again, for nobody would stop what they start.
  const failed = new AbortController();
  const ended = AbortSignal.any([signal, failed.signal]);
  const starts = Array.from({ length: count }, async () => {
    try {
      await whenThereIsCapacity(context, target, ended, () => pool.start('deploy', onProgress).ready);
    } catch (error) {
      if (!BerthError.is(error, 'out_of_capacity')) {
        failed.abort();
        throw error;
      }
      noCapacity.push(error);
    }
  });
  await Promise.all(starts);
  const [error] = noCapacity;
  if (error !== undefined && noCapacity.length === count) throw error;
}

/**
 * Does what takes the room of an instance; when there is no room for it now and could be, tries again while others become idle: what was
 * deployed a moment ago is not stopped for it at once.
 */
export async function whenThereIsCapacity(
  { clock, host, policy }: PoolContext,
  target: RevisionTarget,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  const lastTryMs = clock.monotonicMs() + policy.capacityWaitMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      const mayComeFree = BerthError.is(error, 'out_of_capacity') && host.couldFit(target);
      if (!mayComeFree || signal.aborted || clock.monotonicMs() >= lastTryMs) throw error;
      await clock.sleep(policy.reclaimAfterMs, signal).catch(() => {});
      if (signal.aborted) throw error;
    }
  }
}

/** @returns what a deploy that was canceled before its traffic moved ends with. */
export function deployCancelled(): BerthError {
  return createError('cancelled', 'The deploy was cancelled before the new revision took over.');
}
