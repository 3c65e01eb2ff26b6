import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { createDeploymentStore } from '../deployments/deployment-store.ts';
import { createDeployEventLog } from './deploy-event-log.ts';
import type { DeployRecord } from './deploy-record.ts';
import { createDeployStore, type NewDeploy } from './deploy-store.ts';
import { waitingMessage } from './waiting-message.ts';

/**
 * Records a deploy as queued, its first event with it. Call it in a transaction: what a client was told is accepted is on
 * disk as a whole.
 * @param message what it says when it need not wait for another deploy of the name.
 * @throws `forbidden` when another account owns the name, `conflict` while it is being deleted.
 */
export async function acceptDeploy(
  transaction: Kysely<Database>,
  deploy: NewDeploy,
  message: string,
  nowMs: number,
): Promise<DeployRecord> {
  const deployments = createDeploymentStore(transaction);
  const deploys = createDeployStore(transaction);
  const { accountId, deployment: name, settings } = deploy;
  const deployment = await deployments.claim(accountId, name, nowMs);
  if (deployment.status === 'deleting') {
    throw createError('conflict', `"${name}" is being deleted. Deploy it again once it is gone.`);
  }
  const ahead = (await deploys.listUnfinished(accountId, name)).length;
  await deployments.update(accountId, name, {
    updatedAtMs: nowMs,
    // Of one that has to wait, the one before it decides what is shown.
    ...(ahead === 0 ? { status: deploy.kind === 'deploy' ? 'building' : 'deploying' } : {}),
    // While nothing serves, the newest try is what there is to show.
    ...(deployment.currentRevision === null && settings ? { settings } : {}),
  });
  const record = await deploys.insert(deploy, nowMs);
  await createDeployEventLog(transaction).append(
    record,
    'queued',
    [{ message: ahead === 0 ? message : waitingMessage(ahead, name) }],
    nowMs,
  );
  return record;
}
