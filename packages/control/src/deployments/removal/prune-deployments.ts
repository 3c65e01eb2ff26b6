import type { Pruned, StoredArchive } from '@berth/builder';
import type { Database } from '@berth/database';
import type { AccountId } from '@berth/kit';
import type { Artifact } from '@berth/runtime';
import type { Kysely } from 'kysely';
import { markRetired, type RetireContext } from '../deploys/retire-revisions.ts';
import { listAllArtifacts } from '../revisions/revision-store.ts';

/**
 * Removes the artifacts of revisions that can't be rolled back to under the limit of today, and what the builder has besides that
 * nothing needs. Safe beside deploys: a deployment with one under way is left as it is.
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
      // What serves and what was recorded meanwhile is read after that; what began meanwhile still runs or is recorded.
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

/** Paths of the archives that unfinished deploys need. */
export async function archivesInUse(db: Kysely<Database>): Promise<string[]> {
  const rows = await db
    .selectFrom('deploys')
    .select('archive')
    .where('ended_at', 'is', null)
    .where('archive', 'is not', null)
    .execute();
  return rows.map((row) => (JSON.parse(row.archive ?? 'null') as StoredArchive).path);
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
