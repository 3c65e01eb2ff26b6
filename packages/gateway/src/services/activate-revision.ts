import { createError } from '@berth/contract/errors';
import { BerthError } from '@berth/kit';
import type { ActivateOptions, RevisionTarget } from '../port/gateway.ts';
import { type PoolContext, RevisionPool } from './revision-pool.ts';
import type { Service } from './service.ts';

/**
 * Starts a revision beside the current one and switches the route when its instances are ready. The switch is one assignment. The
 * previous revision then drains in the background, once no process sends it new requests. Until the switch, and on any failure, the
 * previous revision keeps serving unchanged.
 *
 * @throws BerthError `start_failed`, `start_timeout`, `port_not_open`, `out_of_capacity` or `cancelled`.
 */
export async function activateRevision(
  context: PoolContext,
  service: Service,
  target: RevisionTarget,
  { signal, onProgress = () => {}, isLazy = false }: ActivateOptions,
): Promise<void> {
  const cancel = new AbortController();
  const ended = AbortSignal.any([signal, cancel.signal]);
  const pool = new RevisionPool(context, target);
  const retire = () => {
    // Its instances have served no request, so there is nothing to drain.
    pool.retire('replaced', 0).then(() => service.pools.delete(pool));
  };
  if (ended.aborted) throw deployCancelled();
  ended.addEventListener('abort', retire, { once: true });
  service.activations.add(cancel);
  service.pools.add(pool);
  try {
    // Without an await, so that no request starts an instance of the previous revision meanwhile.
    if (!target.isStopped && (!isLazy || isUsed(service))) {
      await startInstances(context, pool, service.current?.fleet.ready.length ?? 0, onProgress, ended);
      if (ended.aborted) throw deployCancelled();
      if (pool.fleet.ready.length === 0) {
        throw createError('start_failed', 'The service exited right after it started listening.');
      }
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
  const withinMs = Math.min(previous.target.timeoutMs, context.policy.drainMaxMs);
  previous.retire(target.isStopped ? 'stopped' : 'replaced', withinMs).then(() => service.pools.delete(previous));
}

/** Returns true when the current revision has instances or requests. */
function isUsed({ current }: Service): boolean {
  return current !== null && (current.fleet.size > 0 || current.queued > 0);
}

/**
 * Starts as many instances as the previous revision has ready or the new one keeps (the higher number), limited by the free capacity
 * and the maximum, but at least one. Every instance that got capacity must become ready.
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
  // Instances of one revision report the same messages; each is passed on once.
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
    onProgress(`${target.minInstances} instances are wanted; the others start when capacity is available`);
  }
  const noCapacity: BerthError[] = [];
  // The first failure fails the deploy. The other starts must not retry, because nothing would stop the instances they start.
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
 * Runs `work`, which needs the capacity of one instance, and retries it while capacity may still come free. The retries last
 * `policy.capacityWaitMs`: an instance of another service is reclaimed only after it has been idle for a while.
 *
 * @throws BerthError `out_of_capacity` when no capacity came free, and whatever `work` throws.
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

/** Returns the error of a deploy that was canceled before the new revision got the route. */
export function deployCancelled(): BerthError {
  return createError('cancelled', 'The deploy was canceled before the new revision took over.');
}
