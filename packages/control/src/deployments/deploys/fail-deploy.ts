import type { Artifact } from '@berth/runtime';
import { createRevisionStore } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployEventLog } from './records/deploy-event-log.ts';
import type { DeployFailure } from './records/deploy-failure.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';

/**
 * Records that a deploy failed. The previous revision keeps serving.
 * @returns the artifact that its revision no longer needs.
 * @throws LeaseLostError
 */
export async function failDeploy(
  context: DeployContext,
  deploy: DeployRecord,
  failure: DeployFailure,
): Promise<Artifact | undefined> {
  const { accountId, deployment: name } = deploy;
  const nowMs = context.clock.nowMs();
  const step = failure.code === 'cancelled' ? 'cancelled' : 'failed';
  const artifact = await context.db.transaction().execute(async (transaction) => {
    const revisions = createRevisionStore(transaction);
    const deployments = createDeploymentStore(transaction);
    const record = await createDeployStore(transaction).move(
      deploy,
      context.leaseOwner,
      { step, code: failure.code },
      nowMs,
    );
    const deployment = await deployments.find(accountId, name);
    const serving = deployment?.currentRevision ?? null;
    // A rollback targets a revision that served before; failing to start now does not mark it as failed.
    const made = record.revision !== null && record.revision !== serving && deploy.kind !== 'rollback';
    const revision = made ? await revisions.find(accountId, name, record.revision) : undefined;
    if (revision) await revisions.update(accountId, name, revision.revision, { status: 'failed', artifact: null });
    const others = await createDeployStore(transaction).listUnfinished(accountId, name);
    if (others.every((other) => other.step === 'queued')) {
      await deployments.setProgress(accountId, name, serving === null ? 'failed' : 'ready', nowMs);
    }
    const message = failure.message + consequences(deploy, deployment?.status === 'deleting' ? null : serving);
    await createDeployEventLog(transaction).append(
      record,
      step,
      [{ message, code: failure.code, logs: [...failure.logs] }],
      nowMs,
    );
    return revision?.artifact ?? undefined;
  });
  context.signals.notify(deploy.id);
  return artifact;
}

function consequences({ kind }: DeployRecord, serving: string | null): string {
  const rest = serving === null ? '' : ` ${serving} goes on serving.`;
  return kind === 'environment' ? `${rest} The variables stay set: the next deploy uses them.` : rest;
}
