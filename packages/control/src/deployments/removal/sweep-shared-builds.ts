import type { Builder } from '@berth/builder';
import { runInBackground } from '@berth/kit';
import type { DeployContext } from '../deploys/records/deploy-context.ts';
import { readNeeded } from './prune-deployments.ts';

/** A removed artifact stays on other servers for two or three of these. */
const SWEEP_MS = 600_000;

/**
 * Removes what other servers left behind or no longer need, regularly, on a platform of several servers. Does nothing on
 * a platform of one. A failure is logged, and the next round makes up for it.
 * @returns a function that ends it.
 */
export function sweepSharedBuilds({
  builder: { shared },
  db,
  clock,
  logger,
}: Pick<DeployContext, 'db' | 'clock' | 'logger'> & { readonly builder: Builder }): () => void {
  if (!shared) return () => {};
  let isOver = false;
  const sweep = () => {
    runInBackground('sweep build results', shared.sweep(() => readNeeded(db)).finally(plan), logger);
  };
  let timer = clock.setTimer(SWEEP_MS, sweep);
  const plan = () => {
    if (!isOver) timer = clock.setTimer(SWEEP_MS, sweep);
  };
  return () => {
    isOver = true;
    timer.cancel();
  };
}
