import { revisionName } from '../revisions/revision-name.ts';
import { createRevisionStore } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployEventLog } from './records/deploy-event-log.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';

/**
 * Records that a build begins, and names the revision that it will create.
 * @throws LeaseLostError
 */
export async function beginBuild(context: DeployContext, deploy: DeployRecord): Promise<DeployRecord> {
  const { accountId, deployment, settings } = deploy;
  if (!settings) throw new Error(`${deploy.id} has no settings to build with`);
  const nowMs = context.clock.nowMs();
  const moved = await context.db.transaction().execute(async (transaction) => {
    const revisions = createRevisionStore(transaction);
    const number = await revisions.nextNumber(accountId, deployment);
    const revision = revisionName(deployment, number);
    const record = await createDeployStore(transaction).move(
      deploy,
      context.leaseOwner,
      { step: 'building', revision },
      nowMs,
    );
    await revisions.insert({
      accountId,
      deployment,
      number,
      revision,
      status: 'building',
      settings,
      artifact: null,
      digest: null,
      environmentVersion: 0,
      deployId: deploy.id,
      servedUntilMs: null,
      createdAtMs: nowMs,
    });
    await createDeploymentStore(transaction).setProgress(accountId, deployment, 'building', nowMs);
    await createDeployEventLog(transaction).append(record, 'building', [{ message: `Building ${revision}` }], nowMs);
    return record;
  });
  context.signals.notify(deploy.id);
  return moved;
}
