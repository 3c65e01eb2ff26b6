import type { BuildResult } from '@berth/builder';
import { changeSettings, createError } from '@berth/contract';
import { revisionName } from '../revisions/revision-name.ts';
import { createRevisionStore, type RevisionRecord, type RevisionStore } from '../revisions/revision-store.ts';
import type { PrepareRevision } from './begin-activation.ts';
import type { DeployRecord } from './records/deploy-record.ts';

/** Returns the revision of a finished build. */
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

/** Returns the target revision of a rollback, with the settings and the environment it had. */
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

/** Returns a new revision of the current program and settings with the newest environment. */
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
    const revision = await insertNext(revisions, current, {
      environmentVersion,
      deployId: deploy.id,
      createdAtMs: nowMs,
    });
    return { revision, message: `Starting ${revision.revision} with the new variables` };
  };
}

/**
 * Returns a new revision of the current program with the newest environment and some settings changed. They are changed here and
 * not when they were requested, because an earlier deploy in the queue may have changed others.
 */
export function preparedRedeploy(deploy: DeployRecord, nowMs: number): PrepareRevision {
  return async (transaction, { accountId, name, environmentVersion, currentRevision }) => {
    const revisions = createRevisionStore(transaction);
    const current = currentRevision === null ? undefined : await revisions.find(accountId, name, currentRevision);
    if (!current?.artifact) {
      throw createError('cancelled', 'There is no running revision to start with other settings.');
    }
    const changes = deploy.changes ?? {};
    const changed = changeSettings(current.settings, changes);
    if ('issues' in changed) {
      const reasons = changed.issues.map(({ loc, msg }) => `${loc.slice(1).join(' ')}: ${msg}`);
      throw createError(
        'start_failed',
        `It does not fit the settings that were deployed meanwhile. ${reasons.join('; ')}`,
      );
    }
    const revision = await insertNext(revisions, current, {
      settings: changed.settings,
      environmentVersion,
      deployId: deploy.id,
      createdAtMs: nowMs,
    });
    const fields = Object.keys(changes).join(', ');
    return {
      revision,
      message: `Starting ${revision.revision}${fields === '' ? '' : ` with other settings: ${fields}`}`,
    };
  };
}

/** Another revision of the same program. */
async function insertNext(
  revisions: RevisionStore,
  current: RevisionRecord,
  changes: Pick<RevisionRecord, 'environmentVersion' | 'deployId' | 'createdAtMs'> &
    Partial<Pick<RevisionRecord, 'settings'>>,
): Promise<RevisionRecord> {
  const { accountId, deployment } = current;
  const number = await revisions.nextNumber(accountId, deployment);
  const revision = {
    ...current,
    ...changes,
    number,
    revision: revisionName(deployment, number),
    status: 'building' as const,
    servedUntilMs: null,
  };
  await revisions.insert(revision);
  return revision;
}
