import type { BuildResult } from '@berth/builder';
import { changeSettings, createError, type DeploySettings, type StateChange } from '@berth/contract';
import { type RevisionRecord, revisionName } from '../revisions/revision-store.ts';
import type { PrepareRevision } from './deploy-steps.ts';
import type { DeployRecord } from './records/deploy-record.ts';

/** Returns the revision of a finished build. */
export function preparedBuild(deploy: DeployRecord, { artifact, digest, requiredEnv }: BuildResult): PrepareRevision {
  return async ({ revisions }, { accountId, name, environmentVersion }) => {
    const revision = await revisions.find(accountId, name, deploy.revision);
    if (!revision) throw new Error(`${deploy.id} has built a revision that is not recorded`);
    const built = { artifact, digest, requiredEnv, environmentVersion };
    await revisions.update(accountId, name, revision.revision, built);
    return { revision: { ...revision, ...built }, message: `Starting ${revision.revision}` };
  };
}

/** Returns the target revision of a rollback, with the settings and the environment it had. */
export function preparedRollback({ targetRevision: target }: DeployRecord): PrepareRevision {
  return async ({ revisions }, { accountId, name, environmentVersion, currentRevision }) => {
    const revision = await revisions.find(accountId, name, target);
    if (!revision?.artifact) {
      throw createError(
        'start_failed',
        `${target} was removed while this rollback was queued. Choose a newer revision.`,
      );
    }
    if (currentRevision === target) return { revision, message: `${target} is already live` };
    const note =
      revision.environmentVersion === environmentVersion
        ? ''
        : ' with its original variables; later changes apply again with the next deploy';
    return { revision, message: `Starting ${target} again${note}` };
  };
}

/** Returns a new revision of the current program and settings with the newest environment. */
export function preparedEnvironment(deploy: DeployRecord): PrepareRevision {
  return async (step, { accountId, name, environmentVersion, currentRevision, stoppedAtMs }) => {
    const current = await step.revisions.find(accountId, name, currentRevision);
    if (!current?.artifact) {
      throw createError('cancelled', 'No live revision to apply the variables to.');
    }
    if (stoppedAtMs !== null) {
      return { revision: current, message: `${name} is stopped; the variables apply when it is resumed` };
    }
    if (current.environmentVersion === environmentVersion) {
      return { revision: current, message: `${current.revision} already has these variables` };
    }
    const revision = await insertNext(step, deploy, { ...current, environmentVersion });
    return { revision, message: `Starting ${revision.revision} with the new variables` };
  };
}

/**
 * Returns a new revision of the current program with the newest environment and some settings changed. They are changed here and
 * not when they were requested, because an earlier deploy in the queue may have changed others.
 */
export function preparedRedeploy(deploy: DeployRecord): PrepareRevision {
  return async (step, { accountId, name, environmentVersion, currentRevision }) => {
    const current = await step.revisions.find(accountId, name, currentRevision);
    if (!current?.artifact) {
      throw createError('cancelled', 'No live revision to redeploy.');
    }
    const changes = deploy.changes ?? {};
    const settings = changedSettings(current.settings, changes);
    const revision = await insertNext(step, deploy, { ...current, settings, environmentVersion });
    const fields = Object.keys(changes).join(', ');
    return {
      revision,
      message: `Starting ${revision.revision}${fields === '' ? '' : ` with other settings: ${fields}`}`,
    };
  };
}

const CHANGES: Readonly<Record<StateChange, string>> = { restart: 'Restarting', stop: 'Stopping', resume: 'Starting' };

/** Returns the current revision, which is restarted or stopped. */
export function preparedChange({ kind }: DeployRecord): PrepareRevision {
  return async ({ revisions }, { accountId, name, currentRevision, stoppedAtMs }) => {
    const current = await revisions.find(accountId, name, currentRevision);
    if (!current?.artifact) throw createError('cancelled', `No live revision to ${kind}.`);
    if (kind === 'restart' && stoppedAtMs !== null) {
      throw createError('cancelled', `${name} was stopped meanwhile. Start it with \`berth resume ${name}\`.`);
    }
    return { revision: current, message: `${CHANGES[kind as StateChange]} ${current.revision}` };
  };
}

/** Returns the current revision of a stopped deployment, or the next one when variables were changed meanwhile. */
export function preparedResume(deploy: DeployRecord): PrepareRevision {
  return async (step, deployment) => {
    if (deployment.stoppedAtMs === null) throw createError('cancelled', `${deployment.name} was started meanwhile.`);
    const { revision } = await preparedEnvironment(deploy)(step, { ...deployment, stoppedAtMs: null });
    return { revision, message: `Starting ${revision.revision}` };
  };
}

function changedSettings(settings: DeploySettings, changes: NonNullable<DeployRecord['changes']>): DeploySettings {
  const changed = changeSettings(settings, changes);
  if ('settings' in changed) return changed.settings;
  const reasons = changed.issues.map(({ loc, msg }) => `${loc.slice(1).join(' ')}: ${msg}`);
  throw createError(
    'start_failed',
    `The change conflicts with settings deployed in the meantime. ${reasons.join('; ')}`,
  );
}

/** Inserts `base` as the next revision, made by `deploy`. */
async function insertNext(
  { revisions, nowMs }: Parameters<PrepareRevision>[0],
  { id: deployId, deployment, accountId }: DeployRecord,
  base: RevisionRecord,
): Promise<RevisionRecord> {
  const number = await revisions.nextNumber(accountId, deployment);
  const revision: RevisionRecord = {
    ...base,
    number,
    revision: revisionName(deployment, number),
    status: 'building',
    deployId,
    servedUntilMs: null,
    createdAtMs: nowMs,
  };
  await revisions.insert(revision);
  return revision;
}
