import type { AuditLog, AuditSource } from '@berth/accounts';
import type { StoredArchive } from '@berth/builder';
import {
  changeSettings,
  createError,
  createValidationError,
  type DeploySettings,
  type SettingsChanges,
} from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import type { Entitlements } from '../../billing/plans/entitlements.ts';
import { createRevisionStore, type RevisionRecord } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { acceptDeploy } from './accept-deploy.ts';
import type { DeployRunner } from './deploy-runner.ts';
import { type MountRules, refuseMounts } from './intake/read-deploy-request.ts';
import type { DeployRecord } from './records/deploy-record.ts';
import { createDeployStore } from './records/deploy-store.ts';

/** The caller and the account. */
interface Requester {
  readonly account: AccountId;
  readonly source: AuditSource;
}

export interface StartRequest extends Requester {
  readonly settings: DeploySettings;
  readonly archive: StoredArchive;
}

export interface RollbackRequest extends Requester {
  readonly name: string;
  readonly revision: string | undefined;
}

export interface RedeployRequest extends Requester {
  readonly name: string;
  readonly changes: SettingsChanges;
}

export interface CancelRequest extends Requester {
  readonly deployId: string;
}

/** Deploys as the API offers them. */
export interface DeployService {
  /**
   * Accepts a deploy and drives it in the background.
   * @throws `forbidden` when another account owns the name, `conflict` while it is being deleted; `invalid` and
   *   `too_many_requests` when it exceeds the account's plan.
   */
  start(request: StartRequest): Promise<DeployRecord>;
  /**
   * Rolls back to an earlier revision; without a name, to the newest ready one before the current.
   * @throws `forbidden`; `not_found` for an unknown deployment or revision; `conflict` when it can't be restored;
   *   `invalid` when the platform doesn't mount its volumes where the revision has them.
   */
  rollback(request: RollbackRequest): Promise<DeployRecord>;
  /**
   * Starts the current program as a new revision, with changed settings and the newest environment.
   * @throws `forbidden`, `not_found`; `invalid` with every wrong setting; `too_many_requests`; `conflict` when nothing serves.
   */
  redeploy(request: RedeployRequest): Promise<DeployRecord>;
  /** @throws `not_found`, `forbidden` */
  get(account: AccountId, deployId: string): Promise<DeployRecord>;
  /**
   * Requests cancellation of a deploy; its events show the outcome.
   * @throws `not_found`, `forbidden`; `conflict` when it has ended.
   */
  cancel(request: CancelRequest): Promise<void>;
}

export interface DeployServiceOptions extends MountRules {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly runner: DeployRunner;
  readonly audit: Pick<AuditLog, 'record'>;
  readonly entitlements: Pick<Entitlements, 'requireDeploy'>;
  /** Resolves when this process's deletion of the name has ended, or after a bounded wait. */
  deletionEnded(name: string): Promise<void>;
}

export function createDeployService(options: DeployServiceOptions): DeployService {
  const { db, clock, runner, audit, entitlements, deletionEnded } = options;
  return {
    async start({ account, source, settings, archive }) {
      // Most deletions are quick: waiting is better than making the client send its archive again.
      await deletionEnded(settings.name);
      const deploy = await runner.submit(async (transaction, ticket) => {
        await entitlements.requireDeploy(transaction, account, settings);
        const details = { deploy_id: ticket.id, archive_sha256: archive.sha256 };
        const line = { ...source, accountId: account, action: 'deployment.deploy', target: settings.name, details };
        const accepted = await acceptDeploy(
          transaction,
          {
            ...ticket,
            accountId: account,
            deployment: settings.name,
            kind: 'deploy',
            actor: source.actor,
            settings,
            archive,
          },
          `Deploying ${settings.name}`,
          clock.nowMs(),
        );
        await audit.record(line, transaction);
        return accepted;
      });
      return recorded(deploy);
    },
    async rollback({ account, source, name, revision }) {
      const deploy = await runner.submit(async (transaction, ticket) => {
        const { currentRevision, status } = await createDeploymentStore(transaction).get(account, name);
        if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        const revisions = await createRevisionStore(transaction).list(account, name);
        const target = chooseRevision(name, revisions, currentRevision, revision);
        refuseMounts(target.settings, options);
        const details = { deploy_id: ticket.id, revision: target.revision };
        await audit.record(
          { ...source, accountId: account, action: 'deployment.rollback', target: name, details },
          transaction,
        );
        return acceptDeploy(
          transaction,
          {
            ...ticket,
            accountId: account,
            deployment: name,
            kind: 'rollback',
            actor: source.actor,
            targetRevision: target.revision,
          },
          `Rolling ${name} back to ${target.revision}: nothing to build`,
          clock.nowMs(),
        );
      });
      return recorded(deploy);
    },
    async redeploy({ account, source, name, changes }) {
      const deploy = await runner.submit(async (transaction, ticket) => {
        const { currentRevision, status, settings } = await createDeploymentStore(transaction).get(account, name);
        if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        if (currentRevision === null || !settings) {
          throw createError(
            'conflict',
            `Nothing of "${name}" serves yet: deploy its source with the settings it needs.`,
          );
        }
        const changed = changeSettings(settings, changes);
        if ('issues' in changed) throw createValidationError(changed.issues);
        refuseMounts(changed.settings, options);
        await entitlements.requireDeploy(transaction, account, changed.settings);
        const details = { deploy_id: ticket.id, changes };
        await audit.record(
          { ...source, accountId: account, action: 'deployment.redeploy', target: name, details },
          transaction,
        );
        return acceptDeploy(
          transaction,
          { ...ticket, accountId: account, deployment: name, kind: 'redeploy', actor: source.actor, changes },
          `New settings for ${name}: nothing to build`,
          clock.nowMs(),
        );
      });
      return recorded(deploy);
    },
    get: (account, deployId) => createDeployStore(db).get(account, deployId),
    async cancel({ account, source, deployId }) {
      const { id, deployment } = await createDeployStore(db).get(account, deployId);
      await db.transaction().execute(async (transaction) => {
        if (!(await createDeployStore(transaction).requestCancel(account, id, clock.nowMs()))) {
          throw createError('conflict', 'The deploy has ended already.');
        }
        const details = { deploy_id: id };
        await audit.record(
          { ...source, accountId: account, action: 'deployment.cancel', target: deployment, details },
          transaction,
        );
      });
      runner.cancel(id, 'The deploy was cancelled.');
    },
  };
}

function recorded(deploy: DeployRecord | undefined): DeployRecord {
  if (!deploy) throw new Error('a deploy was not recorded');
  return deploy;
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
    const earlier = revisions.find((one) => one.number < currentNumber && one.status === 'ready' && one.artifact);
    if (earlier) return earlier;
    throw createError('conflict', `"${name}" has no earlier revision to go back to.`);
  }
  const revision = revisions.find((one) => one.revision === wanted);
  if (!revision) throw createError('not_found', `"${name}" has no revision ${JSON.stringify(wanted.slice(0, 100))}.`);
  if (wanted === current) throw createError('conflict', `${wanted} has the traffic already.`);
  if (revision.status !== 'ready' || !revision.artifact) {
    const why = { retired: 'was removed to save room', failed: 'never started well', building: 'is not finished' };
    const reason = revision.status === 'ready' ? why.retired : why[revision.status];
    throw createError('conflict', `${wanted} can't be brought back: it ${reason}.`);
  }
  return revision;
}
