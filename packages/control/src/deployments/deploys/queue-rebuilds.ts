import type { StoredArchive } from '@berth/builder';
import type { Database } from '@berth/database';
import type { AccountId, DeployId } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { createRevisionStore } from '../revisions/revision-store.ts';
import { createDeploymentStore } from '../store/deployment-store.ts';
import { createDeployEventLog } from './records/deploy-event-log.ts';
import { createDeployStore } from './records/deploy-store.ts';

/** A serving revision that other servers are going to build again. */
export interface Rebuild {
  /** The id of the deploy that builds it. */
  readonly id: DeployId;
  readonly accountId: AccountId;
  readonly deployment: string;
  /** Its source, in the object store of those servers. */
  readonly archive: StoredArchive;
}

/** Changes to the deployments of a platform that moves to servers that can't use its build results. */
export interface MovedDeployments {
  readonly rebuilds: readonly Rebuild[];
  /** Archives of unfinished deploys, now in the object store of those servers, by deploy. */
  readonly archives: ReadonlyMap<string, StoredArchive>;
  /** Returns the artifact under which those servers have a build result; undefined when they don't. */
  adopt(artifact: Artifact): Artifact | undefined;
}

/**
 * Prepares the deployments of a platform for other servers, in a transaction on a database that no server uses: queues a deploy for each
 * rebuild, before the unfinished deploys of its name, and takes the artifacts of earlier revisions that can't be started there. The
 * servers' start does the rest: they take up unfinished deploys.
 */
export async function settleMovedDeployments(
  transaction: Kysely<Database>,
  { rebuilds, archives, adopt }: MovedDeployments,
  nowMs: number,
): Promise<void> {
  await adoptArtifacts(transaction, adopt);
  // No server that held them is alive.
  await transaction
    .updateTable('deploys')
    .set({ lease_owner: null, lease_expires_at: null })
    .where('ended_at', 'is', null)
    .execute();
  await transaction.deleteFrom('leases').execute();
  for (const [id, archive] of archives) {
    await transaction
      .updateTable('deploys')
      .set({ archive: JSON.stringify(archive) })
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .execute();
  }
  for (const rebuild of rebuilds) await queueRebuild(transaction, rebuild, nowMs);
}

/** Keeps the artifacts that the new servers have. A revision that serves keeps its own until its rebuild replaces it. */
async function adoptArtifacts(db: Kysely<Database>, adopt: MovedDeployments['adopt']): Promise<void> {
  const rows = await db
    .selectFrom('revisions')
    .leftJoin('deployments', (join) =>
      join
        .onRef('deployments.name', '=', 'revisions.deployment')
        .onRef('deployments.current_revision', '=', 'revisions.revision'),
    )
    .select(['revisions.account_id', 'revisions.deployment', 'revisions.revision', 'revisions.artifact'])
    .select('deployments.name as serving')
    .where('revisions.artifact', 'is not', null)
    .execute();
  const revisions = createRevisionStore(db);
  for (const { account_id: account, deployment, revision, artifact: text, serving } of rows) {
    const artifact = adopt(JSON.parse(text ?? 'null') as Artifact);
    if (artifact === undefined && serving !== null) continue;
    const changes = artifact === undefined ? { status: 'retired' as const, artifact: null } : { artifact };
    await revisions.update(account as AccountId, deployment, revision, changes);
  }
}

async function queueRebuild(db: Kysely<Database>, rebuild: Rebuild, nowMs: number): Promise<void> {
  const { id, accountId, deployment: name, archive } = rebuild;
  const deployments = createDeploymentStore(db);
  const { currentRevision } = await deployments.get(accountId, name);
  const revision = await createRevisionStore(db).find(accountId, name, currentRevision);
  if (!revision) throw new Error(`${name} has no revision to rebuild`);
  const deploys = createDeployStore(db);
  const inserted = await deploys.insert(
    {
      ...{ id, accountId, deployment: name, kind: 'deploy', actor: { kind: 'system', id: null }, archive },
      settings: revision.settings,
      ...{ leaseOwner: null, leaseExpiresAt: null },
    },
    nowMs,
  );
  await goFirst(db, accountId, name, inserted);
  await deployments.update(accountId, name, { status: 'building', lastDeploy: id, updatedAtMs: nowMs });
  await createDeployEventLog(db).append(inserted, 'queued', [{ message: 'Rebuilding on the new servers' }], nowMs);
}

/** Puts a queued deploy before the unfinished ones of its name: each of those is newer than the revision that it rebuilds. */
async function goFirst(
  db: Kysely<Database>,
  accountId: AccountId,
  deployment: string,
  { id, number }: { readonly id: DeployId; readonly number: number },
): Promise<void> {
  const waiting = (await createDeployStore(db).listUnfinished(accountId, deployment)).filter((one) => one.id !== id);
  const first = waiting[0]?.number;
  if (first === undefined) return;
  const setNumber = (deploy: string, value: number) =>
    db
      .updateTable('deploys')
      .set({ number: value } as never)
      .where('id', '=', deploy)
      .execute();
  // Each number is free when it is given: the rebuild steps aside, then the newest moves first.
  await setNumber(id, -number);
  for (const one of waiting.toReversed()) await setNumber(one.id, one.number + 1);
  await setNumber(id, first);
}
