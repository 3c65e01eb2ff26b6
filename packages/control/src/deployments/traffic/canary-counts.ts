import type { GatewayEvents } from '@berth/gateway';
import { describeError, type Timer } from '@berth/kit';
import type { ControlContext } from '../../context/control-context.ts';

/** How often counts are written. Canaries are judged as often. */
export const CANARY_STEP_MS = 1_000;

/**
 * Counts the requests and errors of deployments that have a canary, by revision and for all servers together. kill -9 loses the counts of the
 * last {@link CANARY_STEP_MS} at most. Deployments without a canary cost nothing.
 */
export type CanaryCounter = ReturnType<typeof createCanaryCounter>;

export function createCanaryCounter({ db, clock, logger }: Pick<ControlContext, 'db' | 'clock' | 'logger'>) {
  let watched: ReadonlySet<string> = new Set();
  /** Counts that aren't written yet, by deployment and revision. */
  const tallies = new Map<string, Map<string, { requests: number; errors: number }>>();
  let timer: Timer | undefined;
  let running: Promise<void> = Promise.resolve();
  let isClosed = false;

  const pass = async (): Promise<void> => {
    const rows = await db.selectFrom('canaries').select('deployment').execute();
    watched = new Set(rows.map(({ deployment }) => deployment));
    for (const [deployment, revisions] of [...tallies]) {
      tallies.delete(deployment);
      // Requests that end after their canary count for none.
      if (!watched.has(deployment)) continue;
      for (const [revision, { requests, errors }] of revisions) {
        await db
          .insertInto('canary_counts')
          .values({ deployment, revision, requests, errors })
          .onConflict((conflict) =>
            conflict.columns(['deployment', 'revision']).doUpdateSet((eb) => ({
              requests: eb('canary_counts.requests', '+', requests),
              errors: eb('canary_counts.errors', '+', errors),
            })),
          )
          .execute();
      }
    }
  };
  const tick = () => {
    if (isClosed) return;
    running = pass()
      .catch((error: unknown) =>
        logger.error({ error: describeError(error) }, 'canaries could not be counted; will retry'),
      )
      .finally(() => {
        if (!isClosed) timer = clock.setTimer(CANARY_STEP_MS, tick);
      });
  };

  return {
    gatewayListener: {
      onRequest({ deployment, revision, status }) {
        if (!watched.has(deployment)) return;
        const revisions = tallies.get(deployment) ?? new Map<string, { requests: number; errors: number }>();
        const tally = revisions.get(revision) ?? { requests: 0, errors: 0 };
        tallies.set(deployment, revisions.set(revision, tally));
        tally.requests++;
        if (status >= 500) tally.errors++;
      },
    } satisfies Pick<GatewayEvents, 'onRequest'>,
    /** Begins to count. */
    start: tick,
    /** Stops after the running pass. Idempotent. */
    async close(): Promise<void> {
      isClosed = true;
      timer?.cancel();
      await running;
    },
  };
}
