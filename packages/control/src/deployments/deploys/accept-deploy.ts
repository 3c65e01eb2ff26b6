import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { createDeployEventLog } from './records/deploy-event-log.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore, type NewDeploy } from './records/deploy-store.ts';

/** Unfinished deploys per account that a caller may start, since each keeps its archive on the disk. */
const MAX_UNFINISHED = 50;

/** A deploy that was just accepted. */
export interface AcceptedDeploy extends DeployRecord {
  /** The unfinished deploys of its name before it, as its first event says. */
  readonly ahead: number;
}

/**
 * Records a deploy as queued, with its first event. Call it in a transaction: an accepted deploy is on
 * disk as a whole.
 * @param message the first event's message when no other deploy of the name is ahead.
 * @param isLimited false for a deploy without an archive that follows from a change elsewhere.
 * @throws `forbidden` when another account owns the name, `conflict` while it is being deleted, `too_many_requests`.
 */
export async function acceptDeploy(
  transaction: Kysely<Database>,
  deploy: NewDeploy,
  message: string,
  nowMs: number,
  isLimited = true,
): Promise<AcceptedDeploy> {
  const deployments = createDeploymentStore(transaction);
  const deploys = createDeployStore(transaction);
  const { accountId, deployment: name, settings } = deploy;
  const deployment = await deployments.claim(accountId, name, nowMs);
  if (deployment.status === 'deleting') {
    throw createError('conflict', `"${name}" is being deleted. Deploy again when the deletion is finished.`);
  }
  if (isLimited && (await deploys.countUnfinished(accountId)) >= MAX_UNFINISHED) {
    throw createError(
      'too_many_requests',
      `The account has ${MAX_UNFINISHED} running deploys, the maximum. Try again when some have finished.`,
    );
  }
  const ahead = (await deploys.listUnfinished(accountId, name)).length;
  await deployments.update(accountId, name, {
    updatedAtMs: nowMs,
    lastDeploy: deploy.id,
    // While a deploy waits, the one ahead of it decides the status.
    ...(ahead === 0 ? { status: deploy.kind === 'deploy' ? 'building' : 'deploying' } : {}),
    // While nothing serves, the settings of the newest deploy are shown.
    ...(deployment.currentRevision === null && settings ? { settings } : {}),
  });
  const record = await deploys.insert(deploy, nowMs);
  await createDeployEventLog(transaction).append(
    record,
    'queued',
    [{ message: ahead === 0 ? message : waitingMessage(ahead, name) }],
    nowMs,
  );
  return { ...record, ahead };
}

/** The message of a deploy that waits for `ahead` others of its name. */
export function waitingMessage(ahead: number, deployment: string): string {
  return ahead === 1
    ? `Waiting for an earlier deploy of ${deployment}`
    : `Waiting for ${ahead} earlier deploys of ${deployment}`;
}
