import { createError } from '@berth/contract';
import { createScheduleStore } from '../../schedules/schedule-store.ts';
import { createVolumeStore } from '../../volumes/volume-store.ts';
import { createRevisionStore, type RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployEventLog } from './records/deploy-event-log.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';

/**
 * Records that a revision serves. Called after the gateway moved the traffic: when the process dies between the two, the
 * next start registers the previous revision, and the deploy, still in its `deploying` step, activates this one again.
 * @throws LeaseLostError
 * @throws `cancelled` when the deployment is being deleted.
 */
export async function completeDeploy(
  context: DeployContext,
  deploy: DeployRecord,
  revision: RevisionRecord,
): Promise<void> {
  const { accountId, deployment: name } = deploy;
  const nowMs = context.clock.nowMs();
  const url = context.urlOf(name);
  await context.db.transaction().execute(async (transaction) => {
    const deployments = createDeploymentStore(transaction);
    const revisions = createRevisionStore(transaction);
    const deployment = await deployments.get(accountId, name);
    if (deployment.status === 'deleting') throw createError('cancelled', `"${name}" is being deleted.`);
    if (deployment.currentRevision !== null && deployment.currentRevision !== revision.revision) {
      await revisions.update(accountId, name, deployment.currentRevision, { servedUntilMs: nowMs });
    }
    await revisions.update(accountId, name, revision.revision, { status: 'ready', servedUntilMs: null });
    await deployments.update(accountId, name, {
      status: 'ready',
      currentRevision: revision.revision,
      settings: revision.settings,
      updatedAtMs: nowMs,
    });
    await createVolumeStore(transaction).attach(accountId, name, revision.settings.volumes);
    await createScheduleStore(transaction).declare(accountId, name, revision.settings.schedule, nowMs);
    const record = await createDeployStore(transaction).move(deploy, context.leaseOwner, { step: 'done' }, nowMs);
    await createDeployEventLog(transaction).append(
      record,
      'done',
      [{ message: `${revision.revision} serves at ${url}`, url, revision: revision.revision }],
      nowMs,
    );
  });
  context.signals.notify(deploy.id);
}
