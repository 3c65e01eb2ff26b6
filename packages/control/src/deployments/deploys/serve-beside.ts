import { isStateChange } from '@berth/contract';
import { isServed, type RevisionTarget, routeOf } from '@berth/gateway';
import { BerthError } from '@berth/kit';
import type { RevisionRecord } from '../revisions/revision-store.ts';
import type { DeploymentRecord, RouteState } from '../store/deployment-store.ts';
import { watchCanary } from '../traffic/canary.ts';
import { createTrafficStore, type TrafficState } from '../traffic/traffic-store.ts';
import { beginCanary, completeBeside } from './deploy-steps.ts';
import type { DeployEventWriter } from './events/deploy-event-writer.ts';
import type { DeployContext } from './records/deploy-context.ts';
import type { DeployRecord } from './records/deploy-record.ts';

/** A revision that is to serve beside the current one. */
interface BesideRun {
  readonly signal: AbortSignal;
  readonly events: DeployEventWriter;
  readonly revision: RevisionRecord;
  readonly target: RevisionTarget;
  readonly current: DeploymentRecord;
  /** Starts the target, and explains why it couldn't be started. */
  start(target: RevisionTarget): Promise<void>;
}

/**
 * Starts a revision beside the current one, gives it its tag and its share of the traffic, and watches it if it is a canary.
 * @returns true for a canary that did well, and is to get all traffic; false when the deploy is done.
 * @throws `canary_failed`, and what `start` throws
 */
export async function serveBeside(context: DeployContext, deploy: DeployRecord, run: BesideRun): Promise<boolean> {
  const { accountId: account, deployment, id: deployId, traffic } = deploy;
  const { revision, target, current, signal, events } = run;
  const isCanary = traffic?.canarySeconds != null;
  await context.routes.run(deployment, async () => {
    signal.throwIfAborted();
    context.traffic.note(routeOf(target));
    // A deploy that another process began may have started it.
    if (!isServed(context.gateway.snapshot(routeOf(target)), target)) await run.start(target);
    await events.flush();
    if (isCanary) {
      await beginCanary(context, deploy, revision);
      await context.traffic.apply(deployment);
      return;
    }
    const tagged = { tag: traffic?.tag ?? null, revision: revision.revision };
    await context.traffic.applyAhead(await trafficAhead(context, deploy, current, tagged));
    await completeBeside(context, deploy, revision);
  });
  if (!isCanary) return false;
  const { percent, canarySeconds } = traffic;
  await events.write('deploying', {
    message: `${revision.revision} gets ${percent} % of the traffic for ${canarySeconds} s`,
  });
  const verdict = await watchCanary(context, {
    ...{ account, deployment, deployId, signal },
    ...{ revision: revision.revision, currentRevision: current.currentRevision ?? '' },
  }).catch(async (error: unknown) => {
    // Before anyone hears that it failed.
    if (BerthError.is(error, 'canary_failed')) await endSplitAhead(context, deploy, current);
    throw error;
  });
  await events.write('deploying', { message: `${verdict}. It gets all traffic.` });
  return true;
}

async function endSplitAhead(context: DeployContext, deploy: DeployRecord, current: DeploymentRecord): Promise<void> {
  const state = await trafficAhead(context, deploy, current, { tag: null, revision: '' }, true);
  await context.routes.run(deploy.deployment, () => context.traffic.applyAhead(state));
}

/** Returns the traffic of a deployment after its route was moved by a deploy. */
export function trafficAfter(
  context: DeployContext,
  deploy: DeployRecord,
  revision: string,
  route: RouteState,
): Promise<TrafficState> {
  const live = { ...route, currentRevision: revision };
  return trafficAhead(
    context,
    deploy,
    live,
    { tag: deploy.traffic?.tag ?? null, revision },
    !isStateChange(deploy.kind),
  );
}

async function trafficAhead(
  { db }: DeployContext,
  { accountId: account, deployment }: DeployRecord,
  { currentRevision, generation, stoppedAtMs }: Pick<DeploymentRecord, 'currentRevision' | keyof RouteState>,
  { tag, revision }: { readonly tag: string | null; readonly revision: string },
  endsSplit = false,
): Promise<TrafficState> {
  const { shares, tags } = await createTrafficStore(db).find(account, deployment);
  return {
    ...{ account, deployment, currentRevision: currentRevision ?? '', generation, stoppedAtMs },
    shares: endsSplit ? new Map() : shares,
    tags: tag === null ? tags : new Map([...tags, [tag, revision]]),
  };
}
