import type { Needed, Pruned, StoredArchive } from '@berth/builder';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { markRetired, type RetireContext } from '../deploys/retire-revisions.ts';
import { listAllArtifacts } from '../revisions/revision-store.ts';

/**
 * Removes the artifacts of revisions beyond the current rollback limit, and everything else of the builder that
 * nothing needs. Safe during deploys: a deployment with an unfinished deploy is skipped.
 */
export async function pruneDeployments(context: RetireContext, isDryRun: boolean): Promise<readonly Pruned[]> {
  const { db, builder } = context;
  return builder.prune({
    isDryRun,
    async readNeeded() {
      const deploying = await listDeploying(db);
      const isDeploying = new Set(deploying.map(({ deployment }) => deployment));
      const names = await db.selectFrom('deployments').select(['account_id', 'name']).execute();
      const retired: Artifact[] = [];
      for (const { account_id, name } of names) {
        if (isDeploying.has(name)) continue;
        retired.push(...(await markRetired(context, account_id as AccountId, name, { isDryRun })));
      }
      const goes = new Set(retired.map((artifact) => JSON.stringify(artifact)));
      // Serving revisions are read after that, so a deploy that finished meanwhile is included, and one that started still runs.
      const archives = await archivesInUse(db);
      const artifacts = await listAllArtifacts(db);
      return {
        artifacts: artifacts.filter((artifact) => !goes.has(JSON.stringify(artifact))),
        archives,
        deploying,
      };
    },
  });
}

/** Reads what a sweep of copies and objects must keep. */
export async function readNeeded(db: Kysely<Database>): Promise<Needed> {
  // In this order: a deploy that ends in between has its revision.
  const deploying = await listDeploying(db);
  return { deploying, archives: await archivesInUse(db), artifacts: await listAllArtifacts(db) };
}

/** Returns the archives that unfinished deploys need. */
export async function archivesInUse(db: Kysely<Database>): Promise<StoredArchive[]> {
  const rows = await db
    .selectFrom('deploys')
    .select('archive')
    .where('ended_at', 'is', null)
    .where('archive', 'is not', null)
    .execute();
  return rows.map((row) => JSON.parse(row.archive ?? 'null') as StoredArchive);
}

async function listDeploying(db: Kysely<Database>) {
  const rows = await db
    .selectFrom('deploys')
    .select(['account_id', 'deployment'])
    .where('ended_at', 'is', null)
    .distinct()
    .execute();
  return rows.map(({ account_id: account, deployment }) => ({ account, deployment }));
}
