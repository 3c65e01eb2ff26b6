import type { BuildResult } from '@berth/builder';
import { createError } from '@berth/contract';
import { revisionName } from '../deployments/revision-name.ts';
import { createRevisionStore } from '../deployments/revision-store.ts';
import type { PrepareRevision } from './begin-activation.ts';
import type { DeployRecord } from './deploy-record.ts';

/** The revision of a finished build. */
export function preparedBuild(deploy: DeployRecord, { artifact, digest }: BuildResult): PrepareRevision {
  return async (transaction, { accountId, name, environmentVersion }) => {
    const revisions = createRevisionStore(transaction);
    const revision = deploy.revision === null ? undefined : await revisions.find(accountId, name, deploy.revision);
    if (!revision) throw new Error(`${deploy.id} has built a revision that is not recorded`);
    const built = { artifact, digest, environmentVersion };
    await revisions.update(accountId, name, revision.revision, built);
    return { revision: { ...revision, ...built }, message: `Starting ${revision.revision}` };
  };
}

/** The revision that a rollback goes back to, with the settings and the environment it had. */
export function preparedRollback(deploy: DeployRecord): PrepareRevision {
  return async (transaction, { accountId, name, environmentVersion, currentRevision }) => {
    const target = deploy.targetRevision ?? '';
    const revision = await createRevisionStore(transaction).find(accountId, name, target);
    if (!revision?.artifact) {
      throw createError('start_failed', `${target} was removed while this rollback waited. Choose a newer revision.`);
    }
    if (currentRevision === target) return { revision, message: `${target} serves already` };
    const note =
      revision.environmentVersion === environmentVersion
        ? ''
        : ', with the environment it had; what was set since applies again with the next deploy';
    return { revision, message: `Starting ${target} again${note}` };
  };
}

/** The current program and settings with the newest environment, as a new revision. */
export function preparedEnvironment(deploy: DeployRecord, nowMs: number): PrepareRevision {
  return async (transaction, { accountId, name, environmentVersion, currentRevision }) => {
    const revisions = createRevisionStore(transaction);
    const current = currentRevision === null ? undefined : await revisions.find(accountId, name, currentRevision);
    if (!current?.artifact) {
      throw createError('cancelled', 'There is no running revision to apply the variables to.');
    }
    if (current.environmentVersion === environmentVersion) {
      return { revision: current, message: `${current.revision} has these variables already` };
    }
    const number = await revisions.nextNumber(accountId, name);
    const revision = {
      ...current,
      number,
      revision: revisionName(name, number),
      status: 'building' as const,
      environmentVersion,
      deployId: deploy.id,
      servedUntilMs: null,
      createdAtMs: nowMs,
    };
    await revisions.insert(revision);
    return { revision, message: `Starting ${revision.revision} with the new variables` };
  };
}
