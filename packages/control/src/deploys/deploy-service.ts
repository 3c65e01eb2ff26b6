import type { StoredArchive } from '@berth/builder';
import { createError, type DeploySettings } from '@berth/contract';
import type { Database } from '@berth/database';
import type { AccountId, Clock } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createDeploymentStore } from '../deployments/deployment-store.ts';
import { createRevisionStore, type RevisionRecord } from '../deployments/revision-store.ts';
import { acceptDeploy } from './accept-deploy.ts';
import type { DeployRecord } from './deploy-record.ts';
import type { DeployRunner } from './deploy-runner.ts';
import { createDeployStore } from './deploy-store.ts';

/** Deploys as the API offers them. */
export interface DeployService {
  /**
   * Accepts a deploy and drives it in the background.
   * @throws `forbidden` when another account owns the name, `conflict` while it is being deleted.
   */
  start(account: AccountId, settings: DeploySettings, archive: StoredArchive): Promise<DeployRecord>;
  /**
   * Brings an earlier revision back; without a name, the newest good one before the current.
   * @throws `forbidden`; `not_found` for an unknown deployment or revision; `conflict` when it can't be brought back.
   */
  rollback(account: AccountId, name: string, revision: string | undefined): Promise<DeployRecord>;
  /**
   * Asks a deploy to end; its events tell how it did.
   * @throws `not_found`, `forbidden`; `conflict` when it has ended.
   */
  cancel(account: AccountId, deployId: string): Promise<void>;
}

export interface DeployServiceOptions {
  readonly db: Kysely<Database>;
  readonly clock: Clock;
  readonly runner: DeployRunner;
  /** Resolves when a deletion of the name that runs here has ended, or has taken long. */
  deletionEnded(name: string): Promise<void>;
}

export function createDeployService({ db, clock, runner, deletionEnded }: DeployServiceOptions): DeployService {
  return {
    async start(account, settings, archive) {
      // Most deletions take a moment: better to wait for it than to have the client send its archive again.
      await deletionEnded(settings.name);
      const deploy = await runner.submit((transaction, ticket) =>
        acceptDeploy(
          transaction,
          {
            ...ticket,
            accountId: account,
            deployment: settings.name,
            kind: 'deploy',
            settings,
            archive,
            targetRevision: null,
          },
          `Deploying ${settings.name}`,
          clock.nowMs(),
        ),
      );
      return accepted(deploy);
    },
    async rollback(account, name, revision) {
      const deploy = await runner.submit(async (transaction, ticket) => {
        const { currentRevision, status } = await createDeploymentStore(transaction).get(account, name);
        if (status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
        const revisions = await createRevisionStore(transaction).list(account, name);
        const target = chooseRevision(name, revisions, currentRevision, revision);
        return acceptDeploy(
          transaction,
          {
            ...ticket,
            accountId: account,
            deployment: name,
            kind: 'rollback',
            settings: null,
            archive: null,
            targetRevision: target.revision,
          },
          `Rolling ${name} back to ${target.revision}: nothing to build`,
          clock.nowMs(),
        );
      });
      return accepted(deploy);
    },
    async cancel(account, deployId) {
      const deploys = createDeployStore(db);
      const { id } = await deploys.get(account, deployId);
      if (!(await deploys.requestCancel(account, id, clock.nowMs()))) {
        throw createError('conflict', 'The deploy has ended already.');
      }
      runner.cancel(id, 'The deploy was cancelled.');
    },
  };
}

function accepted(deploy: DeployRecord | undefined): DeployRecord {
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
