import { isServed } from '@berth/gateway';
import { describeError } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import { createRevisionStore } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import type { DeployContext } from './records/deploy-context.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';
import { retireRevisions } from './retire-revisions.ts';

/** Ended deploys kept per name. */
const KEPT_DEPLOYS = 20;

/**
 * Removes the leftovers of an ended deploy. Correctness doesn't depend on it, so a failure is logged
 * and the next start of the platform cleans up the rest.
 * @param built its artifacts, removed unless a revision has them.
 */
export async function cleanUpDeploy(
  context: DeployContext,
  deploy: DeployRecord,
  built: readonly Artifact[],
): Promise<void> {
  const { accountId, deployment } = deploy;
  const { builder, db, logger } = context;
  const tasks: Readonly<Record<string, () => Promise<void>>> = {
    archive: async () => {
      if (deploy.archive) await builder.discard(deploy.archive);
    },
    artifact: async () => {
      const revisions = await createRevisionStore(db).list(accountId, deployment);
      const needed = new Set(revisions.map(({ artifact }) => JSON.stringify(artifact)));
      for (const artifact of built) {
        if (!needed.has(JSON.stringify(artifact))) await builder.remove(artifact);
      }
    },
    revisions: () => retireRevisions(context, accountId, deployment),
    deploys: () => createDeployStore(db).prune(accountId, deployment, KEPT_DEPLOYS),
  };
  for (const [task, run] of Object.entries(tasks)) {
    try {
      await run();
    } catch (error) {
      logger.warn({ deployId: deploy.id, task, error: describeError(error) }, 'clean-up after a deploy failed');
    }
  }
}

/**
 * Routes traffic back to the serving revision of the database if a failed deploy has it: its end could
 * not be recorded after the gateway had moved it. Splits and tags are those of the database, too.
 */
export function restoreRoute(context: DeployContext, deploy: DeployRecord): Promise<void> {
  return context.routes.run(deploy.deployment, async () => {
    await context.traffic.apply(deploy.deployment);
    await restore(context, deploy);
  });
}

async function restore(context: DeployContext, deploy: DeployRecord): Promise<void> {
  const { accountId, deployment: name } = deploy;
  const serving = context.gateway.snapshot(name);
  if (serving === undefined) return;
  const deployment = await createDeploymentStore(context.db).find(accountId, name);
  if (!deployment || deployment.status === 'deleting') return;
  const { currentRevision, generation } = deployment;
  if (currentRevision !== null && isServed(serving, { revision: currentRevision, generation })) return;
  context.logger.warn(
    { deployId: deploy.id, serving: serving.revision },
    'the route is reset to the recorded revision',
  );
  const revision = await createRevisionStore(context.db).find(accountId, name, deployment.currentRevision);
  if (!revision?.artifact) return context.gateway.remove(name);
  const target = await context.targets.create(revision, deployment);
  await context.gateway.activate(target, { signal: new AbortController().signal });
}
