import { type DeployEvent, isTerminal, LIMITS } from '@berth/contract';
import type { AccountId, Clock } from '@berth/kit';
import { POLL_MS } from '../../../cluster/cluster.ts';
import type { DeployContext } from '../records/deploy-context.ts';
import { createDeployEventLog } from '../records/deploy-event-log.ts';
import { isEnded, statusOf } from '../records/deploy-step.ts';
import { createDeployStore } from '../records/deploy-store.ts';

export interface FollowOptions {
  readonly account: AccountId;
  readonly deployId: string;
  /** Sequence number of the last event that the follower has; 0 for none. */
  readonly after: number;
  /** Ends the iteration; the deploy goes on. */
  readonly signal: AbortSignal;
}

/** {@link followDeploy} with its context. */
export type FollowDeploy = (options: FollowOptions) => AsyncIterable<DeployEvent>;

/** Events read at once. */
const PAGE_EVENTS = 500;

/**
 * Yields the events of a deploy after `after`: recorded ones, then new ones, each once and without a gap, up to the one that
 * ends it. After 15 s of silence it yields an event with an empty message and without a `seq`.
 * @throws `not_found` or `forbidden` at the first step.
 */
export async function* followDeploy(
  { db, clock, signals, cluster }: Pick<DeployContext, 'db' | 'clock' | 'signals' | 'cluster'>,
  { account, deployId, after, signal }: FollowOptions,
): AsyncGenerator<DeployEvent, void> {
  const deploys = createDeployStore(db);
  const log = createDeployEventLog(db);
  const { id } = await deploys.get(account, deployId);
  let seq = after;
  let wake = Promise.withResolvers<void>();
  let spokeAtMs = clock.monotonicMs();
  // Subscribed before the first read, so that events recorded after a read wake it.
  const unsubscribe = signals.subscribe(id, () => wake.resolve());
  const onAbort = () => wake.resolve();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      wake = Promise.withResolvers();
      const events = await log.read(account, id, seq, PAGE_EVENTS);
      for (const event of events) {
        seq = event.seq ?? seq;
        spokeAtMs = clock.monotonicMs();
        yield event;
        if (isTerminal(event)) return;
      }
      // After the events, whose ID of the deploy is what a client of a server that closes goes on with.
      if (signal.aborted) return;
      if (events.length > 0) continue;
      const { step } = await deploys.get(account, id);
      // Ends only when nothing is left to read: the last event may have been recorded after the page was read.
      if (isEnded(step) && (await log.read(account, id, seq, 1)).length === 0) return;
      if (isEnded(step)) continue;
      const silenceMs = spokeAtMs + LIMITS.streamHeartbeatMs - clock.monotonicMs();
      // The driver may be on another server, whose notices can be lost.
      const waitMs = cluster.isAlone ? silenceMs : Math.min(silenceMs, POLL_MS);
      if (await wakes(wake.promise, clock, waitMs)) continue;
      if (waitMs === silenceMs) {
        spokeAtMs = clock.monotonicMs();
        yield { status: statusOf(step), message: '', time: new Date(clock.nowMs()).toISOString(), deploy_id: id };
      }
    }
  } finally {
    unsubscribe();
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves to false after `waitMs`. */
async function wakes(wake: Promise<void>, clock: Clock, waitMs: number): Promise<boolean> {
  const silence = Promise.withResolvers<false>();
  const timer = clock.setTimer(waitMs, () => silence.resolve(false));
  try {
    return await Promise.race([wake.then(() => true), silence.promise]);
  } finally {
    timer.cancel();
  }
}
