import type { AccountSource, AuditLog } from '@berth/accounts';
import type { StoredArchive } from '@berth/builder';
import {
  type AuditAction,
  changeSettings,
  createError,
  createValidationError,
  type DeployCommit,
  type DeploySettings,
  type DeployTraffic,
  MAX_TAGS,
  type RollbackPreview,
  type SettingsChanges,
  type StateChange,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../../billing/plans/entitlements.ts';
import { createVolumeStore } from '../../volumes/volume-store.ts';
import { createEnvironmentStore } from '../environment/environment-store.ts';
import { compareRevisions } from '../revisions/compare-revisions.ts';
import { createRevisionStore, type RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore, type DeploymentRecord } from '../store/deployment-store.ts';
import { tooManyTags } from '../traffic/change-traffic.ts';
import { createTrafficStore } from '../traffic/traffic-store.ts';
import { acceptDeploy } from './accept-deploy.ts';
import type { DeployRunner } from './deploy-runner.ts';
import { type MountRules, refuseMounts } from './intake/read-deploy-request.ts';
import type { DeployContext } from './records/deploy-context.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore, type NewDeploy } from './records/deploy-store.ts';

const ALL_TRAFFIC: DeployTraffic = { tag: null, percent: 100, canarySeconds: null };

/** The caller and the account. */
interface Requester {
  readonly account: AccountId;
  readonly source: AccountSource;
}

export interface StartRequest extends Requester {
  readonly settings: DeploySettings;
  readonly archive: StoredArchive;
  /** Default: all of it. */
  readonly traffic?: DeployTraffic;
  /** The commit that the archive was made from. */
  readonly commit?: DeployCommit;
  /** Records more in the transaction that accepts the deploy. An error refuses the deploy. */
  readonly onAccept?: (transaction: Kysely<Database>, deploy: DeployRecord) => Promise<void>;
}

export interface RollbackRequest extends Requester {
  readonly name: string;
  readonly revision: string | undefined;
}

export interface RedeployRequest extends Requester {
  readonly name: string;
  readonly changes: SettingsChanges;
}

export interface StateChangeRequest extends Requester {
  readonly name: string;
  readonly kind: StateChange;
}

export interface CancelRequest extends Requester {
  readonly deployId: string;
}

export interface DeployServiceOptions extends MountRules, Pick<DeployContext, 'db' | 'clock' | 'sealer' | 'cluster'> {
  readonly runner: DeployRunner;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly entitlements: Pick<Entitlements, 'requireDeploy'>;
  /** Resolves when a running deletion of the name has ended, or after a bounded wait. */
  deletionEnded(account: AccountId, name: string): Promise<void>;
}

/** A deploy that may be accepted, with its audit record. */
interface Checked {
  readonly deploy: Pick<
    NewDeploy,
    'kind' | 'settings' | 'archive' | 'commit' | 'targetRevision' | 'changes' | 'traffic'
  >;
  readonly action: AuditAction;
  readonly details: Readonly<Record<string, unknown>>;
  /** The first event's message when no other deploy of the name is ahead. */
  readonly message: string;
  readonly onAccept?: StartRequest['onAccept'];
}

/** Deploys as the API offers them. */
export type DeployService = ReturnType<typeof createDeployService>;

export function createDeployService(options: DeployServiceOptions) {
  const { db, clock, sealer, cluster, runner, audit, entitlements, deletionEnded } = options;

  const submit = (
    { account: accountId, source }: Requester,
    name: string,
    check: (transaction: Kysely<Database>) => Promise<Checked>,
  ): Promise<DeployRecord> =>
    runner.submit(async (transaction, ticket) => {
      const { deploy, action, details, message, onAccept } = await check(transaction);
      const own = { ...ticket, ...deploy, accountId, deployment: name, actor: source.actor };
      const record = await acceptDeploy(transaction, own, message, clock.nowMs());
      await onAccept?.(transaction, record);
      const line = { ...source, accountId, action, target: name, details: { deploy_id: ticket.id, ...details } };
      await audit.record(line, transaction);
      return record;
    });

  return {
    /**
     * Accepts a deploy and drives it in the background.
     * @throws `forbidden` when another account owns the name, `conflict` while it is being deleted or can't have the traffic; `invalid` and
     *   `too_many_requests` when it exceeds the account's plan.
     */
    async start({ settings, archive, commit, onAccept, ...requester }: StartRequest): Promise<DeployRecord> {
      const { traffic = ALL_TRAFFIC } = requester;
      // Most deletions are quick: waiting is better than making the client send its archive again.
      await deletionEnded(requester.account, settings.name);
      return submit(requester, settings.name, async (transaction) => {
        await entitlements.requireDeploy(transaction, requester.account, settings);
        await refuseTraffic(transaction, requester.account, settings.name, traffic);
        const isUsual = traffic.tag === null && traffic.percent === 100;
        return {
          deploy: { kind: 'deploy', settings, archive, ...(commit && { commit }), ...(isUsual ? {} : { traffic }) },
          action: 'deployment.deploy',
          details: { archive_sha256: archive.sha256, ...(commit && { commit: commit.sha, branch: commit.branch }) },
          message: `Deploying ${settings.name}`,
          ...(onAccept && { onAccept }),
        };
      });
    },
    /**
     * Makes another revision live, earlier or later; without a name, the newest ready one before the current.
     * @throws `forbidden`; `not_found` for an unknown deployment or revision; `conflict` when it can't be restored;
     *   `invalid` when the platform doesn't mount its volumes where the revision has them.
     */
    rollback: ({ name, revision, ...requester }: RollbackRequest): Promise<DeployRecord> =>
      submit(requester, name, async (transaction) => {
        const { currentRevision, status } = await createDeploymentStore(transaction).get(requester.account, name);
        if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        const revisions = await createRevisionStore(transaction).list(requester.account, name);
        const target = chooseRevision(name, revisions, currentRevision, revision);
        refuseMounts(target.settings, options);
        const isEarlier = revisions.some((one) => one.revision === currentRevision && one.number > target.number);
        return {
          deploy: { kind: 'rollback', targetRevision: target.revision },
          action: 'deployment.rollback',
          details: { revision: target.revision },
          message: `${isEarlier ? `Rolling ${name} back to` : `Moving ${name} to`} ${target.revision}, without a build`,
        };
      }),
    /**
     * Returns what {@link rollback} to the same revision would change.
     * @throws as {@link rollback}, except `invalid`.
     */
    previewRollback: (account: AccountId, name: string, revision: string | undefined): Promise<RollbackPreview> =>
      db.transaction().execute(async (transaction) => {
        const { currentRevision } = await createDeploymentStore(transaction).get(account, name);
        const revisions = await createRevisionStore(transaction).list(account, name);
        const target = chooseRevision(name, revisions, currentRevision, revision);
        const live = revisions.find((one) => one.revision === currentRevision);
        if (!live) throw createError('conflict', `No revision of "${name}" is live.`);
        const environment = createEnvironmentStore(transaction, sealer);
        const withVariables = async (record: RevisionRecord) => ({
          record,
          environment: await environment.read({ account, deployment: name }, record.environmentVersion),
        });
        const volumes = new Set((await createVolumeStore(transaction).list(account)).map((volume) => volume.name));
        const mounted = new Set(target.settings.volumes.map((mount) => mount.name));
        return {
          ...compareRevisions(await withVariables(live), await withVariables(target)),
          created_volumes: [...mounted].filter((volume) => !volumes.has(volume)).sort(),
        };
      }),
    /**
     * Starts the current program as a new revision, with changed settings and the newest environment.
     * @throws `forbidden`, `not_found`; `invalid` with every wrong setting; `too_many_requests`; `conflict` when nothing serves.
     */
    redeploy: ({ name, changes, ...requester }: RedeployRequest): Promise<DeployRecord> =>
      submit(requester, name, async (transaction) => {
        const deployments = createDeploymentStore(transaction);
        const { currentRevision, status, settings } = await deployments.get(requester.account, name);
        if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        if (currentRevision === null || !settings) {
          throw createError(
            'conflict',
            `No revision of "${name}" is live yet. Deploy its source with the settings first.`,
          );
        }
        const changed = changeSettings(settings, changes);
        if ('issues' in changed) throw createValidationError(changed.issues);
        refuseMounts(changed.settings, options);
        await entitlements.requireDeploy(transaction, requester.account, changed.settings);
        return {
          deploy: { kind: 'redeploy', changes },
          action: 'deployment.redeploy',
          details: { changes },
          message: `New settings for ${name}, without a build`,
        };
      }),
    /**
     * Restarts the current revision, stops the deployment, or resumes a stopped one.
     * @throws `forbidden`, `not_found`; `conflict` when nothing serves, or when it is stopped already or not stopped.
     */
    changeState: ({ name, kind, ...requester }: StateChangeRequest): Promise<DeployRecord> =>
      submit(requester, name, async (transaction) => {
        const record = await createDeploymentStore(transaction).get(requester.account, name);
        refuseChange(record, kind);
        if (kind === 'resume' && record.settings) {
          refuseMounts(record.settings, options);
          await entitlements.requireDeploy(transaction, requester.account, record.settings);
        }
        const message = { restart: 'Restarting', stop: 'Stopping', resume: 'Starting' }[kind];
        return { deploy: { kind }, action: `deployment.${kind}`, details: {}, message: `${message} ${name}` };
      }),
    /** @throws `not_found`, `forbidden` */
    get: (account: AccountId, deployId: string): Promise<DeployRecord> => createDeployStore(db).get(account, deployId),
    /**
     * Requests cancellation of a deploy; its events show the outcome.
     * @throws `not_found`, `forbidden`; `conflict` when it has ended.
     */
    async cancel({ account, source, deployId }: CancelRequest): Promise<void> {
      const { id, deployment: target } = await createDeployStore(db).get(account, deployId);
      await db.transaction().execute(async (transaction) => {
        if (!(await createDeployStore(transaction).requestCancel(account, id, clock.nowMs()))) {
          throw createError('conflict', 'The deploy has already finished.');
        }
        await cluster.publish('deploys', id, transaction);
        const details = { deploy_id: id };
        await audit.record({ ...source, action: 'deployment.cancel', target, details }, transaction);
      });
      runner.cancel(id, 'The deploy was canceled.');
    },
  };
}

/** @throws `conflict` when a deployment's state doesn't allow the change */
function refuseChange({ name, status, currentRevision, stoppedAtMs }: DeploymentRecord, kind: StateChange): void {
  if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
  if (currentRevision === null) throw createError('conflict', `No revision of "${name}" is live yet. Deploy it first.`);
  const isStopped = stoppedAtMs !== null;
  if (kind === 'resume' && !isStopped) throw createError('conflict', `"${name}" isn't stopped.`);
  if (kind === 'stop' && isStopped) throw createError('conflict', `"${name}" is stopped already.`);
  if (kind === 'restart' && isStopped) {
    throw createError('conflict', `"${name}" is stopped. Start it with \`berth resume ${name}\`.`);
  }
}

/** True for a revision that has served all traffic and has its build. One that was deployed without traffic may never have. */
function isRestorable({ status, artifact, servedUntilMs }: RevisionRecord): boolean {
  return status === 'ready' && artifact !== null && servedUntilMs !== null;
}

/** @throws `conflict` when a new revision can't serve beside a current one, `invalid` for too many tags */
async function refuseTraffic(
  transaction: Kysely<Database>,
  account: AccountId,
  name: string,
  { tag, percent }: DeployTraffic,
): Promise<void> {
  const deployment = await createDeploymentStore(transaction).find(account, name);
  if (percent < 100 && !deployment?.currentRevision) {
    throw createError('conflict', `No revision of "${name}" is live yet. Its first deploy gets all traffic.`);
  }
  if (percent < 100 && deployment?.stoppedAtMs != null) {
    throw createError('conflict', `"${name}" is stopped. Start it with \`berth resume ${name}\`.`);
  }
  const { tags } = await createTrafficStore(transaction).find(account, name);
  if (tag !== null && !tags.has(tag) && tags.size >= MAX_TAGS) throw tooManyTags(name);
}

/** @param revisions newest first. */
function chooseRevision(
  name: string,
  revisions: readonly RevisionRecord[],
  current: string | null,
  wanted: string | undefined,
): RevisionRecord {
  if (wanted === undefined) {
    const currentNumber = revisions.find((one) => one.revision === current)?.number ?? 0;
    const earlier = revisions.find((one) => one.number < currentNumber && isRestorable(one));
    if (earlier) return earlier;
    throw createError('conflict', `"${name}" has no earlier revision to roll back to.`);
  }
  const revision = revisions.find((one) => one.revision === wanted);
  if (!revision) throw createError('not_found', `"${name}" has no revision ${JSON.stringify(wanted.slice(0, 100))}.`);
  if (wanted === current) throw createError('conflict', `${wanted} is already live.`);
  if (revision.status !== 'ready' || !revision.artifact) {
    const why = {
      retired: 'was removed to free disk space',
      failed: 'never started successfully',
      building: 'is not finished',
    };
    const reason = revision.status === 'ready' ? why.retired : why[revision.status];
    throw createError('conflict', `${wanted}: can't be made live, because the revision ${reason}.`);
  }
  return revision;
}
