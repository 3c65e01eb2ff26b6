import { createError } from '@berth/contract';
import type { Database } from '@berth/database';
import type { RevisionTarget } from '@berth/gateway';
import type { AccountId } from '@berth/kit';
import type { Kysely } from 'kysely';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { createRevisionStore } from './revision-store.ts';
import type { RevisionTargets } from './revision-targets.ts';

/**
 * Creates a function that returns what a one-off instance of a deployment is started with: the serving revision, or a ready one by name.
 * It throws `not_found`, `forbidden`, and `conflict` for a deployment that is stopped and for a revision that can't run.
 */
export function createRunTarget(db: Kysely<Database>, targets: Pick<RevisionTargets, 'create'>) {
  return async (account: AccountId, name: string, wanted: string | undefined): Promise<RevisionTarget> => {
    const deployment = await createDeploymentStore(db).get(account, name);
    const revision = wanted ?? deployment.currentRevision;
    if (revision === null) throw createError('conflict', `"${name}" serves no revision yet. Deploy it first.`);
    if (deployment.status === 'deleting') throw createError('conflict', `"${name}" is being deleted.`);
    if (deployment.stoppedAtMs !== null) {
      throw createError('conflict', `"${name}" is stopped. Resume it first: berth resume ${name}`);
    }
    const record = await createRevisionStore(db).find(account, name, revision);
    if (!record) throw createError('not_found', `"${name}" has no revision ${revision}.`);
    if (!record.artifact || record.status !== 'ready') {
      throw createError('conflict', `Revision ${revision} is ${record.status} and can't run. Choose a ready one.`);
    }
    return targets.create(record, deployment);
  };
}
