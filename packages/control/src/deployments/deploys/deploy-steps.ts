import { SYSTEM_SOURCE } from '@berth/accounts';
import { createError, isStateChange, tagLabel } from '@berth/contract';
import type { Database } from '@berth/database';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { createScheduleStore } from '../../schedules/schedule-store.ts';
import { createVolumeStore } from '../../volumes/volume-store.ts';
import {
  createRevisionStore,
  type RevisionRecord,
  type RevisionStore,
  revisionName,
} from '../revisions/revision-store.ts';
import {
  createDeploymentStore,
  type DeploymentRecord,
  type DeploymentStore,
  type RouteState,
} from '../store/deployment-store.ts';
import { createTrafficStore } from '../traffic/traffic-store.ts';
import { describeChanges } from './describe-changes.ts';
import type { DeployContext } from './records/deploy-context.ts';
import { createDeployEventLog, type DeployMessage } from './records/deploy-event-log.ts';
import type { DeployFailure } from './records/deploy-failure.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore, type DeployMove } from './records/deploy-store.ts';

/** The transaction that records a step of a deploy. */
export interface StepTransaction {
  readonly transaction: Kysely<Database>;
  readonly deployments: DeploymentStore;
  readonly revisions: RevisionStore;
  readonly nowMs: number;
  /** Moves the deploy to its step and appends the step's first events. @throws LeaseLostError */
  move(move: DeployMove, messages: readonly DeployMessage[]): Promise<DeployRecord>;
}

/** The revision to start. */
export interface PreparedRevision {
  readonly revision: RevisionRecord;
  /** The message of the first DEPLOYING event. */
  readonly message: string;
}

/** Creates or finds the revision to start, inside the transaction that records the step. */
export type PrepareRevision = (
  step: Pick<StepTransaction, 'revisions' | 'nowMs'>,
  deployment: DeploymentRecord,
) => Promise<PreparedRevision>;

/** Runs `write` as one transaction, then wakes the followers of the deploy. */
async function recordStep<Result>(
  { db, clock, signals, leaseOwner }: DeployContext,
  deploy: DeployRecord,
  write: (step: StepTransaction) => Promise<Result>,
): Promise<Result> {
  const nowMs = clock.nowMs();
  const result = await db.transaction().execute(async (transaction) => {
    const written = await write({
      transaction,
      deployments: createDeploymentStore(transaction),
      revisions: createRevisionStore(transaction),
      nowMs,
      async move(move, messages) {
        const record = await createDeployStore(transaction).move(deploy, leaseOwner, move, nowMs);
        await createDeployEventLog(transaction).append(record, move.step, messages, nowMs);
        return record;
      },
    });
    await signals.publish(deploy.id, transaction);
    return written;
  });
  signals.notify(deploy.id);
  return result;
}

/**
 * Records that a build begins, and names the revision that it will create.
 * @throws LeaseLostError
 */
export async function beginBuild(context: DeployContext, deploy: DeployRecord): Promise<DeployRecord> {
  const { accountId, deployment, settings } = deploy;
  if (!settings) throw new Error(`${deploy.id} has no settings to build with`);
  return recordStep(context, deploy, async ({ deployments, revisions, nowMs, move }) => {
    const number = await revisions.nextNumber(accountId, deployment);
    const revision = revisionName(deployment, number);
    const record = await move({ step: 'building', revision }, [{ message: `Building ${revision}` }]);
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
      requiredEnv: [],
      sourceSha256: deploy.archive?.sha256 ?? null,
      deployId: deploy.id,
      servedUntilMs: null,
      createdAtMs: nowMs,
    });
    await deployments.setProgress(accountId, deployment, 'building', nowMs);
    return record;
  });
}

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
  return recordStep(context, deploy, async (step) => {
    const { transaction, deployments, nowMs } = step;
    const deployment = await deployments.get(accountId, name);
    const { revision, message: opening } = await prepare(step, deployment);
    const volumes = revision.settings.volumes.map((volume) => volume.name);
    const sentences = describeChanges({
      isDeclared: deploy.kind === 'deploy',
      settings: revision.settings,
      hasNoTraffic: deploy.traffic?.percent === 0,
      previous: deployment.currentRevision === null ? null : deployment.settings,
      createdVolumes: await createVolumeStore(transaction).ensure(accountId, volumes, nowMs),
      areMountsSure: context.areMountsSure,
    });
    const messages = [opening, ...sentences].map((message) => ({ message }));
    const record = await step.move({ step: 'deploying', revision: revision.revision }, messages);
    await deployments.setProgress(accountId, name, 'deploying', nowMs);
    return { deploy: record, revision };
  });
}

/**
 * Records that a revision serves. Called after the gateway moved the traffic: when the process dies between the two, the
 * next start registers the previous revision, and the deploy, still in its `deploying` step, activates this one again.
 * @throws LeaseLostError
 * @throws `cancelled` when the deployment is being deleted.
 */
export async function completeDeploy(
  context: DeployContext,
  deploy: DeployRecord,
  { revision, settings, artifact }: RevisionRecord,
  { generation, stoppedAtMs }: RouteState,
): Promise<void> {
  const { accountId, deployment: name } = deploy;
  const url = context.urlOf(name);
  const isStopped = stoppedAtMs !== null;
  await recordStep(context, deploy, async ({ transaction, deployments, revisions, nowMs, move }) => {
    const { status, currentRevision } = await deployments.get(accountId, name);
    if (status === 'deleting') throw createError('cancelled', `"${name}" is being deleted.`);
    if (currentRevision !== null && currentRevision !== revision) {
      await revisions.update(accountId, name, currentRevision, { servedUntilMs: nowMs });
    }
    await revisions.update(accountId, name, revision, { status: 'ready', servedUntilMs: null });
    const kind = artifact?.isAgent ? 'agent' : 'service';
    const route = { currentRevision: revision, generation, stoppedAtMs };
    await deployments.update(accountId, name, { ...route, status: 'ready', settings, kind, updatedAtMs: nowMs });
    await createVolumeStore(transaction).attach(accountId, name, settings.volumes);
    await createScheduleStore(transaction).declare(accountId, name, isStopped ? null : settings.schedule, nowMs);
    const { tag = null } = deploy.traffic ?? {};
    const traffic = createTrafficStore(transaction);
    // A restart, a stop and a resumption keep the split.
    if (!isStateChange(deploy.kind)) await traffic.endSplit(accountId, name);
    if (tag !== null) await traffic.setTag(accountId, name, tag, revision);
    const message = isStopped
      ? `${name} is stopped${settings.schedule ? ', and its schedule is paused' : ''}`
      : `${revision} serves at ${url}`;
    await move({ step: 'done' }, [{ message, ...(isStopped ? {} : { url }), revision }]);
    await context.cluster.publish('routes', name, transaction);
  });
}

/**
 * Records that a revision is ready beside the current one, and ends the deploy.
 * @throws LeaseLostError
 */
export async function completeBeside(
  context: DeployContext,
  deploy: DeployRecord,
  { revision }: RevisionRecord,
): Promise<void> {
  const { accountId, deployment: name, traffic } = deploy;
  const tag = traffic?.tag ?? null;
  const url = tag === null ? undefined : context.urlOf(tagLabel(tag, name));
  await recordStep(context, deploy, async ({ transaction, deployments, revisions, nowMs, move }) => {
    await revisions.update(accountId, name, revision, { status: 'ready' });
    await deployments.setProgress(accountId, name, 'ready', nowMs);
    if (tag !== null) await createTrafficStore(transaction).setTag(accountId, name, tag, revision);
    const message = url === undefined ? `${revision} is ready, without traffic` : `${revision} serves at ${url}`;
    await move({ step: 'done' }, [{ message, ...(url === undefined ? {} : { url }), revision }]);
    await context.cluster.publish('routes', name, transaction);
  });
}

/**
 * Records that a canary begins, and when it ends, unless it has begun already.
 * @throws LeaseLostError
 */
export async function beginCanary(
  context: DeployContext,
  deploy: DeployRecord,
  { revision }: RevisionRecord,
): Promise<void> {
  const { accountId, deployment: name, id: deployId, traffic } = deploy;
  await context.db.transaction().execute(async (transaction) => {
    await createDeployStore(transaction).require(deploy, context.leaseOwner, context.clock.nowMs());
    const store = createTrafficStore(transaction);
    if ((await store.find(accountId, name)).canary?.deployId === deployId) return;
    const endsAtMs = context.clock.nowMs() + (traffic?.canarySeconds ?? 0) * 1_000;
    await createRevisionStore(transaction).update(accountId, name, revision, { status: 'ready' });
    await store.beginCanary(accountId, name, { revision, deployId, endsAtMs }, traffic?.percent ?? 0);
    if (traffic?.tag) await store.setTag(accountId, name, traffic.tag, revision);
    await context.cluster.publish('routes', name, transaction);
  });
}

/**
 * Records that a deploy failed. The previous revision keeps serving.
 * @returns the artifact that its revision no longer needs.
 * @throws LeaseLostError
 */
export async function failDeploy(
  context: DeployContext,
  deploy: DeployRecord,
  { code, message, logs }: DeployFailure,
): Promise<Artifact | undefined> {
  const { accountId, deployment: name } = deploy;
  return recordStep(context, deploy, async ({ transaction, deployments, revisions, nowMs, move }) => {
    const deployment = await deployments.find(accountId, name);
    const serving = deployment?.currentRevision ?? null;
    const isServing = deployment?.status !== 'deleting' && deployment?.stoppedAtMs === null;
    const rest = consequences(deploy, isServing ? serving : null);
    const step = code === 'cancelled' ? 'cancelled' : 'failed';
    const record = await move({ step, code }, [{ message: sentence(message, rest), code, logs: [...logs] }]);
    // A rollback targets a revision that served before; failing to start now does not mark it as failed.
    const traffic = createTrafficStore(transaction);
    const { canary } = await traffic.find(accountId, name);
    const wasCanary = canary?.deployId === deploy.id;
    if (wasCanary) await traffic.endSplit(accountId, name);
    if (code === 'canary_failed') {
      const details = { deploy_id: deploy.id, revision: record.revision, canary: 'failed' };
      const line = { ...SYSTEM_SOURCE, accountId, action: 'deployment.traffic', target: name, details } as const;
      await context.audit.record(line, transaction);
    }
    if (wasCanary) await context.cluster.publish('routes', name, transaction);
    // A canary has started and served: it stays for a look at it, and for a second try.
    const isOwn = record.revision !== serving && deploy.kind !== 'rollback' && !wasCanary;
    const revision = isOwn ? await revisions.find(accountId, name, record.revision) : undefined;
    if (revision) {
      await revisions.update(accountId, name, revision.revision, { status: 'failed', artifact: null });
      await traffic.removeTagsOf(accountId, name, revision.revision);
    }
    const others = await createDeployStore(transaction).listUnfinished(accountId, name);
    if (others.every((other) => other.step === 'queued')) {
      await deployments.setProgress(accountId, name, serving === null ? 'failed' : 'ready', nowMs);
    }
    return revision?.artifact ?? undefined;
  });
}

/** Appends sentences to a message, which may lack its full stop. */
function sentence(message: string, rest: string): string {
  return rest === '' || /[.!?]$/.test(message) ? message + rest : `${message}.${rest}`;
}

function consequences({ kind }: DeployRecord, serving: string | null): string {
  const rest = serving === null ? '' : ` ${serving} keeps serving.`;
  return kind === 'environment' ? `${rest} The variables stay set and apply to the next deploy.` : rest;
}
