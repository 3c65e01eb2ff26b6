import { createError } from '@berth/contract';
import type { AccountId, DeployId } from '@berth/kit';
import type { ControlContext } from '../../context/control-context.ts';
import { CANARY_STEP_MS } from './canary-counts.ts';
import { type CanaryCounts, createTrafficStore } from './traffic-store.ts';

/** Fewer errors than this are no reason to take the traffic from a canary. */
const MIN_ERRORS = 5;
/** A canary with a smaller share of errors does well, whatever the current revision does. */
const MIN_RATIO = 0.05;
/** A canary may have this many times the share of errors of the current revision. */
const MAX_TIMES = 2;

const NONE: CanaryCounts = { requests: 0, errors: 0 };

/** Returns true when a canary has clearly more errors than the current revision. */
export function isClearlyWorse(canary: CanaryCounts, current: CanaryCounts): boolean {
  return canary.errors >= MIN_ERRORS && ratio(canary) > Math.max(MAX_TIMES * ratio(current), MIN_RATIO);
}

/** The canary to watch. */
export interface WatchedCanary {
  readonly account: AccountId;
  readonly deployment: string;
  readonly deployId: DeployId;
  readonly revision: string;
  readonly currentRevision: string;
  readonly signal: AbortSignal;
}

/**
 * Watches a canary until its time is over. Everything that it decides by is in the database, so any server can go on with it.
 * @returns what was counted, as a sentence
 * @throws `canary_failed` when it has clearly more errors than the current revision, `cancelled` when another change ended it; the
 *   signal's reason
 */
export async function watchCanary(
  { db, clock }: Pick<ControlContext, 'db' | 'clock'>,
  { account, deployment, deployId, revision, currentRevision, signal }: WatchedCanary,
): Promise<string> {
  const store = createTrafficStore(db);
  for (;;) {
    const { canary } = await store.find(account, deployment);
    if (canary?.deployId !== deployId) throw createError('cancelled', 'Another change ended the canary.');
    const counts = await store.readCounts(account, deployment);
    const own = counts.get(revision) ?? NONE;
    const current = counts.get(currentRevision) ?? NONE;
    const sentence = `${describe(revision, own)}, ${describe(currentRevision, current)}`;
    if (isClearlyWorse(own, current)) {
      throw createError('canary_failed', `The canary has clearly more errors: ${sentence}. It lost its traffic.`);
    }
    if (clock.nowMs() >= canary.endsAtMs) return `The canary did well: ${sentence}`;
    await clock.sleep(CANARY_STEP_MS, signal);
  }
}

function ratio({ requests, errors }: CanaryCounts): number {
  return errors / Math.max(1, requests);
}

function describe(revision: string, { requests, errors }: CanaryCounts): string {
  return `${errors} of ${requests} requests to ${revision} failed`;
}
