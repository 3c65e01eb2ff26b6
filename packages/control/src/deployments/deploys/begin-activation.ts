import type { Database } from '@berth/database';
import type { Kysely } from 'kysely';
import { createVolumeStore } from '../../volumes/volume-store.ts';
import type { RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore, type DeploymentRecord } from '../store/deployment-store.ts';
import { describeChanges } from './describe-changes.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployEventLog } from './records/deploy-event-log.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';

/** The revision to start. */
export interface PreparedRevision {
  readonly revision: RevisionRecord;
  /** The message of the first DEPLOYING event. */
  readonly message: string;
}

/** Creates or finds the revision to start, inside the transaction that records the step. */
export type PrepareRevision = (
  transaction: Kysely<Database>,
  deployment: DeploymentRecord,
) => Promise<PreparedRevision>;

/**
 * Records that a revision is about to start: its artifact, its volumes and its changes are on disk
 * before anything of it runs.
 * @throws LeaseLostError, and what `prepare` throws.
 */
export async function beginActivation(
  context: DeployContext,
  deploy: DeployRecord,
  prepare: PrepareRevision,
): Promise<{ readonly deploy: DeployRecord; readonly revision: RevisionRecord }> {
  const { accountId, deployment: name } = deploy;
  const nowMs = context.clock.nowMs();
  const result = await context.db.transaction().execute(async (transaction) => {
    const deployments = createDeploymentStore(transaction);
    const deployment = await deployments.get(accountId, name);
    const { revision, message: opening } = await prepare(transaction, deployment);
    const record = await createDeployStore(transaction).move(
      deploy,
      context.leaseOwner,
      { step: 'deploying', revision: revision.revision },
      nowMs,
    );
    await deployments.setProgress(accountId, name, 'deploying', nowMs);
    const createdVolumes = await createVolumeStore(transaction).ensure(
      accountId,
      revision.settings.volumes.map((volume) => volume.name),
      nowMs,
    );
    const sentences = describeChanges({
      isDeclared: deploy.kind === 'deploy',
      settings: revision.settings,
      previous: deployment.currentRevision === null ? null : deployment.settings,
      createdVolumes,
      areMountsSure: context.areMountsSure,
    });
    await createDeployEventLog(transaction).append(
      record,
      'deploying',
      [opening, ...sentences].map((message) => ({ message })),
      nowMs,
    );
    return { deploy: record, revision };
  });
  context.signals.notify(deploy.id);
  return result;
}
